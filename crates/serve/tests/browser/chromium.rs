//! Headless Chromium, driven by its protocol (CDP) over one WebSocket. Implements only the calls that the tests need.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// The maximum time without a message from Chromium. Without this limit, a browser that hangs would block its test
/// forever.
const ANSWER: Duration = Duration::from_secs(90);

/// `.ci/browser` repeats tests with this message once: a browser that hangs is no fault of the pages.
const SILENT: &str = "no answer from Chromium";

/// A browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    last: u64,
    /// The page's errors and warnings since the last call of `complaints`.
    complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// Returns the path of Chromium, or `None` if it is missing.
fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SCORESHEET_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

/// Returns a browser, or prints the reason that there is none.
pub fn browser() -> Option<Browser> {
    match program() {
        Some(program) => Some(Browser::start(&program)),
        None if std::env::var("SCORESHEET_BROWSER").as_deref() == Ok("required") => panic!("there is no Chromium"),
        None => {
            eprintln!("skipped: there is no Chromium; SCORESHEET_CHROMIUM names one");
            None
        }
    }
}

impl Browser {
    /// Starts a browser with a window of this size in pixels.
    fn start(program: &PathBuf) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-extensions",
                "--force-color-profile=srgb",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (send, addresses) = mpsc::channel();
        // Reads all further output too, so a full pipe never blocks the browser.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, address)) = line.split_once("DevTools listening on ws://") {
                    let _ = send.send(address.trim().to_owned());
                }
            }
        });
        let address = addresses.recv_timeout(ANSWER).unwrap_or_else(|error| panic!("{SILENT} at its start: {error}"));
        let (host, _) = address.split_once('/').unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(ANSWER)).unwrap();
        let (socket, _) = tungstenite::client(format!("ws://{address}"), stream).unwrap();
        let mut browser =
            Browser { child, socket, session: String::new(), last: 0, complaints: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Inspector.enable"] {
            browser.call(domain, json!({}));
        }
        browser.size(1200, 900, false);
        browser
    }

    /// Calls a method of the protocol and returns its result.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let message = match self.socket.read() {
                Ok(message) => message,
                Err(error) => panic!("{SILENT} to {method}: {error}"),
            };
            let Message::Text(text) = message else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.hear(&answer);
        }
    }

    fn hear(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            // A page that crashed answers nothing more.
            Some("Inspector.targetCrashed") => panic!("the page crashed"),
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(params["exceptionDetails"]["exception"]["description"].to_string())
            }
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                self.complaints.push(params["args"].to_string())
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.complaints.push(format!("{} {}", params["entry"]["text"], params["entry"]["url"]));
            }
            _ => {}
        }
    }

    /// Returns the page's errors and warnings.
    pub fn complaints(&mut self) -> Vec<String> {
        // All earlier messages arrive before the next answer.
        self.eval("1");
        std::mem::take(&mut self.complaints)
    }

    pub fn size(&mut self, width: u32, height: u32, mobile: bool) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}),
        );
    }

    pub fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        self.call("Emulation.setEmulatedMedia", json!({"features": [{"name": "prefers-color-scheme", "value": value}, {"name": "prefers-reduced-motion", "value": "reduce"}]}));
    }

    /// Sets the preferred languages, most preferred first.
    pub fn speak(&mut self, languages: &str) {
        let agent = self.text("navigator.userAgent");
        self.call("Emulation.setUserAgentOverride", json!({"userAgent": agent, "acceptLanguage": languages}));
    }

    /// Returns the number of pixels by which the page is wider than the window.
    #[track_caller]
    pub fn too_wide(&mut self) -> i64 {
        self.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth").as_i64().unwrap()
    }

    /// Opens an address and waits until the page shows content.
    #[track_caller]
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.until("document.querySelector('main')?.textContent.length > 10 && !document.querySelector('[aria-busy]')");
    }

    /// Returns the value of an expression.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}),
        );
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    #[track_caller]
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        let began = Instant::now();
        while self.eval(&format!("Boolean({expression})")) != true {
            if began.elapsed() > Duration::from_secs(20) {
                let page = self.text("document.body.innerText.slice(0, 1500)");
                let complaints = self.complaints();
                panic!("never: {expression}\n{complaints:?}\n{page}");
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Returns the center of an element.
    #[track_caller]
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let query = serde_json::to_string(selector).unwrap();
        let middle = self.eval(&format!(
            "(() => {{ const node = document.querySelector({query}); if (!node) return null; node.scrollIntoView({{block: 'nearest'}}); \
             const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        assert!(middle.is_array(), "there is no {selector}");
        (middle[0].as_f64().unwrap(), middle[1].as_f64().unwrap())
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let buttons = u8::from(kind != "mouseReleased");
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1}),
        );
    }

    /// Clicks an element.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let at = self.middle(selector);
        self.mouse("mousePressed", at);
        self.mouse("mouseReleased", at);
    }

    /// Drags from one element to another.
    #[track_caller]
    pub fn drag(&mut self, from: &str, to: &str) {
        // Scrolls the target into view first, so both elements have their final locations.
        self.middle(to);
        let from = self.middle(from);
        let to = self.middle(to);
        self.mouse("mousePressed", from);
        for step in 1..=4 {
            let part = f64::from(step) / 4.0;
            self.mouse("mouseMoved", (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part));
        }
        self.mouse("mouseReleased", to);
    }

    /// Presses a key: a character, or a name such as `ArrowLeft`.
    pub fn key(&mut self, key: &str) {
        let shift = key.len() == 1 && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'?');
        let text = match key {
            "Enter" => Some("\r".to_owned()),
            key if key.chars().count() == 1 => Some(key.to_owned()),
            _ => None,
        };
        let mut params = json!({"type": if text.is_some() { "keyDown" } else { "rawKeyDown" }, "key": key, "modifiers": if shift { 8 } else { 0 }});
        if let Some(text) = &text {
            params["text"] = text.clone().into();
        }
        let codes = [
            ("ArrowLeft", 37),
            ("ArrowUp", 38),
            ("ArrowRight", 39),
            ("ArrowDown", 40),
            ("Home", 36),
            ("End", 35),
            ("Enter", 13),
            ("Escape", 27),
            ("Delete", 46),
            ("Tab", 9),
        ];
        if let Some((_, code)) = codes.iter().find(|(name, _)| *name == key) {
            params["windowsVirtualKeyCode"] = (*code).into();
        }
        self.call("Input.dispatchKeyEvent", params.clone());
        params["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", params);
    }

    /// Types a text into the focused element.
    pub fn typed(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Returns a screenshot of the visible part, as PNG in base64.
    pub fn picture(&mut self) -> String {
        self.call("Page.captureScreenshot", json!({"format": "png"}))["data"].as_str().unwrap().to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
