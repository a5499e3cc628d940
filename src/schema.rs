//! The file format as a JSON Schema, for editors.

use crate::scenario::{Scenario, Tensor};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

impl JsonSchema for Tensor {
    fn schema_name() -> Cow<'static, str> {
        "Tensor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let integers = json_schema!({"type": "array", "items": {"type": "integer"}});
        json_schema!({
            "description": "A tensor of integers: its entries, or its entries with dtype and shape where they matter.",
            "anyOf": [
                integers,
                {"type": "array", "items": integers},
                {
                    "type": "object",
                    "properties": {
                        "data": integers,
                        "dtype": {"type": ["string", "null"], "examples": ["int32", "int64"]},
                        "shape": {"anyOf": [integers, {"type": "null"}]}
                    },
                    "required": ["data"],
                    "additionalProperties": false
                }
            ]
        })
    }
}

/// The JSON Schema (draft 2020-12) of a [`Scenario`]. Short aliases (`tp`, `cp`, `world`) are read
/// too; the schema knows the names that are written.
///
/// ```
/// let schema = packscope::schema::scenario_schema();
/// assert_eq!(schema["required"], serde_json::json!(["params"]));
/// ```
pub fn scenario_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Scenario);
    if let Some(properties) = schema.get_mut("properties").and_then(|all| all.as_object_mut()) {
        let link = serde_json::json!({"type": "string", "description": "This schema's address, for editors."});
        properties.insert("$schema".to_owned(), link);
    }
    schema.to_value()
}
