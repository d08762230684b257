# `nix run github:OWNER/scoresheet -- --help`; the version is that of Cargo.toml.
{
  description = "Compact chess game archive with random access to every position";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      about = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
    in
    {
      packages = forAll (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "scoresheet";
          inherit (about) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "scoresheet-cli" ];
          buildType = "dist";
          # .ci/run has the tests, which need real games.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/scoresheet man --dir .
            installManPage *.1
            for shell in bash zsh fish; do
              $out/bin/scoresheet completions $shell > completions.$shell
            done
            installShellCompletion --cmd scoresheet --bash completions.bash --zsh completions.zsh --fish completions.fish
            install -Dm644 packaging/scoresheet.xml $out/share/mime/packages/scoresheet.xml
          '';
          meta = {
            homepage = about.homepage;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "scoresheet";
          };
        };
      });
    };
}
