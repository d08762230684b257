//! Writes JSON objects on one line, with their members in the given order.

use serde_core::Serialize;
use serde_json::Value;
use std::fmt;

/// A JSON object to which members are added.
#[derive(Clone, Debug, Default)]
pub struct Object(String);

impl Object {
    /// Returns an object without members.
    pub fn new() -> Object {
        Object::default()
    }

    /// Serializes a value as an object.
    pub fn from_value(value: &impl Serialize) -> Object {
        let text = serde_json::to_string(value).unwrap_or_default();
        Object(text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default().to_owned())
    }

    /// Adds a member.
    pub fn with(self, name: &str, value: impl Into<Value>) -> Object {
        self.raw(name, &value.into().to_string())
    }

    /// Adds an object as a member.
    pub fn object(self, name: &str, object: &Object) -> Object {
        self.raw(name, &object.to_string())
    }

    /// Adds the members of another object.
    pub fn joined(mut self, other: &Object) -> Object {
        if !self.0.is_empty() && !other.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&other.0);
        self
    }

    /// Adds an array of objects as a member.
    pub fn array(self, name: &str, objects: &[Object]) -> Object {
        let items: Vec<String> = objects.iter().map(Object::to_string).collect();
        self.raw(name, &format!("[{}]", items.join(",")))
    }

    fn raw(mut self, name: &str, json: &str) -> Object {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&Value::from(name).to_string());
        self.0.push(':');
        self.0.push_str(json);
        self
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.0)
    }
}

/// Returns tag pairs as an array of pairs, which preserves their order and duplicates.
pub fn tags(tags: &[(String, String)]) -> Value {
    tags.iter().map(|(name, value)| Value::from(vec![name.as_str(), value.as_str()])).collect()
}

/// Returns a JSON number with at most the given number of decimals.
pub fn rounded(number: f64, decimals: i32) -> Value {
    let scale = 10f64.powi(decimals);
    Value::from((number * scale).round() / scale)
}
