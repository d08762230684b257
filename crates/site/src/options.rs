//! The options of a site, and the progress reports.

use std::io;
use std::path::PathBuf;

/// A receiver of progress reports, which any thread may call with the finished units of a step.
pub type Done = dyn Fn(u64) + Send + Sync;
/// Begins a step with its name and its number of units.
pub type Begin<'a> = dyn Fn(&'static str, u64) -> Box<Done> + 'a;

/// The options of a site.
#[derive(Clone, Debug)]
pub struct Options {
    /// The title of the site. Default: the title in the archive's metadata, or `Scoresheet` if there is none.
    pub title: Option<String>,
    /// The color of links and selected controls, on light and on dark pages, such as `#7a4a12`.
    pub accent: Option<[String; 2]>,
    /// The picture before the title: SVG or PNG.
    pub logo: Option<PathBuf>,
    /// The address of the site, which the feed needs.
    pub base: Option<String>,
    /// The path of the engine module within the folder. The owner of the site adds the file.
    pub engine: Option<String>,
    /// The maximum size of a part in bytes.
    pub part: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { title: None, accent: None, logo: None, base: None, engine: None, part: 8 << 20 }
    }
}

/// The background colors of light and dark pages (`app.css`), from which the contrast of the accent color is computed.
const PAPER: [&str; 2] = ["#f6f4ef", "#161513"];
/// The minimum contrast of text: level AA of WCAG.
const CONTRAST: f64 = 4.5;

impl Options {
    /// Returns the title of the site.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("Scoresheet")
    }

    /// Returns the type of the logo's file; an empty text if there is no logo.
    pub fn logo_kind(&self) -> &'static str {
        let name = self.logo.as_ref().and_then(|path| path.extension()).and_then(|kind| kind.to_str());
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "svg" => "svg",
            "png" => "png",
            _ => "",
        }
    }

    /// Errors: a color is invalid or has too little contrast; the logo has another file type.
    pub fn check(&self) -> io::Result<()> {
        for (color, paper) in self.accent.iter().flatten().zip(PAPER) {
            let found =
                luminance(color).ok_or_else(|| io::Error::other(format!("{color} is not a color such as #7a4a12")))?;
            let contrast = contrast(found, luminance(paper).unwrap_or_default());
            if contrast < CONTRAST {
                let why = format!("{color} has a contrast of {contrast:.1} on {paper}: text needs at least {CONTRAST}");
                return Err(io::Error::other(why));
            }
        }
        let is_base = |base: &&String| {
            ["https://", "http://"].iter().any(|scheme| base.starts_with(scheme)) && !base.contains(['?', '#'])
        };
        if let Some(base) = self.base.as_ref().filter(|base| !is_base(base)) {
            return Err(io::Error::other(format!("{base} is not an address such as https://chess.example.org/games/")));
        }
        match self.logo.is_some() && self.logo_kind().is_empty() {
            true => Err(io::Error::other("the logo must be an .svg or .png file")),
            false => Ok(()),
        }
    }

    /// Returns the style sheet of the site; an empty text if the colors are the default.
    pub fn style(&self) -> String {
        let Some([light, dark]) = &self.accent else { return String::new() };
        // Use white or black, whichever has more contrast with the color.
        let on = |color: &str| if luminance(color).is_some_and(|found| found > 0.18) { "#000" } else { "#fff" };
        format!(
            ":root {{ --accent: light-dark({light}, {dark}); --on-accent: light-dark({}, {}); }}\n",
            on(light),
            on(dark)
        )
    }
}

/// Returns the relative luminance of a color `#rrggbb` by WCAG's definition.
fn luminance(color: &str) -> Option<f64> {
    let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?) / 255.0;
        Some(if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) })
    };
    Some(0.2126 * part(0)? + 0.7152 * part(2)? + 0.0722 * part(4)?)
}

fn contrast(first: f64, second: f64) -> f64 {
    (first.max(second) + 0.05) / (first.min(second) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_have_to_be_readable() {
        let of =
            |light: &str, dark: &str| Options { accent: Some([light, dark].map(str::to_owned)), ..Options::default() };
        assert!(of("#7a4a12", "#e3b66f").check().is_ok());
        assert_eq!(
            of("#7a4a12", "#e3b66f").style(),
            ":root { --accent: light-dark(#7a4a12, #e3b66f); --on-accent: light-dark(#fff, #000); }\n"
        );
        for (light, dark, message) in [
            ("#e3b66f", "#e3b66f", "contrast"),
            ("#7a4a12", "#333333", "contrast"),
            ("red", "#e3b66f", "not a color"),
            ("#7a4a1;", "#e3b66f", "not a color"),
        ] {
            let error = of(light, dark).check().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let logo = |name: &str| Options { logo: Some(name.into()), ..Options::default() }.check().is_ok();
        assert_eq!(["a.svg", "a.PNG", "a.gif", "a"].map(logo), [true, true, false, false]);
        assert!((contrast(luminance("#000000").unwrap(), luminance("#ffffff").unwrap()) - 21.0).abs() < 1e-9);
    }
}
