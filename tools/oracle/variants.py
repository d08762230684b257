# Plays random games of the variants with python-chess (GPL; an oracle only), for crates/chess/tests/variants.rs:
# python3 tools/oracle/variants.py GAMES SEED [PLIES] | zstd -19 -o testdata/variant-games.tsv.zst
import chess, chess.variant, random, sys
V={"Crazyhouse":chess.variant.CrazyhouseBoard,"Atomic":chess.variant.AtomicBoard,"Antichess":chess.variant.AntichessBoard,"Horde":chess.variant.HordeBoard,"Three-check":chess.variant.ThreeCheckBoard,"King of the Hill":chess.variant.KingOfTheHillBoard,"Racing Kings":chess.variant.RacingKingsBoard}
n=int(sys.argv[1]); seed=int(sys.argv[2]); cap=int(sys.argv[3]) if len(sys.argv)>3 else 160
random.seed(seed)
out=sys.stdout
for name,cls in V.items():
    for g in range(n):
        b=cls()
        if name=="Antichess": b.castling_rights=0
        print("G",name,b.fen(en_passant="fen"),sep="\t",file=out)
        for ply in range(cap):
            moves=list(b.legal_moves)
            if not moves: break
            r=random.random()
            caps=[m for m in moves if b.is_capture(m)]
            m=random.choice(caps if caps and r<0.3 else moves)
            san=b.san(m)
            us=sorted(x.uci() for x in moves)
            b.push(m)
            res=b.result()
            print("M",m.uci(),san,b.fen(en_passant="fen"),len(us),res,sep="\t",file=out)
