# Written by packaging/templates.py for version @VERSION@ for the folder Formula/ of a tap.
class Scoresheet < Formula
  desc "Compact chess game archive with random access to every position"
  homepage "@ADDRESS@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/scoresheet-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:scoresheet-@VERSION@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/scoresheet-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:scoresheet-@VERSION@-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/scoresheet-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:scoresheet-@VERSION@-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/scoresheet-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:scoresheet-@VERSION@-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install Dir["scoresheet*"].reject { |file| File.extname(file) =~ /\.(xml|magic)/ }
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/scoresheet.bash" => "scoresheet"
    zsh_completion.install "completions/_scoresheet"
    fish_completion.install "completions/scoresheet.fish"
    doc.install Dir["LICEN*"]
  end

  test do
    (testpath/"games.pgn").write "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n"
    system bin/"scoresheet", "import", "games.pgn", "-o", "games.bga"
    assert_match "rnbqkbnr/pppp1ppp", shell_output("#{bin}/scoresheet fen games.bga 1:2")
  end
end
