//! The contract as it may be one day: every message has more fields, every oneof another member, every enum another value.

use std::sync::LazyLock;

use broadside_proto::v1::FILE_DESCRIPTOR_SET;
use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, ReflectMessage, Value,
};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, OneofDescriptorProto,
    field_descriptor_proto::{Label, Type},
};

/// What this contract has not; fields' names begin with it.
const NEWER: &str = "newer";
const FILE: &str = "broadside/v1/newer.proto";
const EXTRA: &str = ".broadside.v1.NewerExtra";
const MOOD: &str = ".broadside.v1.NewerMood";
/// The value that every enum has besides.
pub const NEWER_VALUE: i32 = 999;

/// Every kind of scalar.
const SCALARS: [Type; 15] = [
    Type::Double,
    Type::Float,
    Type::Int64,
    Type::Uint64,
    Type::Int32,
    Type::Fixed64,
    Type::Fixed32,
    Type::Bool,
    Type::String,
    Type::Bytes,
    Type::Uint32,
    Type::Sfixed32,
    Type::Sfixed64,
    Type::Sint32,
    Type::Sint64,
];

/// The richer contract.
///
/// # Panics
/// Never: it is made from the contract itself.
pub fn pool() -> &'static DescriptorPool {
    static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
        let mut set = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap();
        for file in &mut set.file {
            file.dependency.push(FILE.to_owned());
            file.message_type.iter_mut().for_each(grow_message);
            file.enum_type.iter_mut().for_each(grow_enum);
        }
        set.file.insert(0, newer_file());
        DescriptorPool::from_file_descriptor_set(set).unwrap()
    });
    &POOL
}

fn grow_message(message: &mut DescriptorProto) {
    message.nested_type.iter_mut().for_each(grow_message);
    let numbers = message.field.iter().filter_map(|field| field.number);
    let mut next = numbers.max().unwrap_or(0) + 1;
    let synthetic = |index: i32| {
        let mut members = message
            .field
            .iter()
            .filter(|it| it.oneof_index == Some(index));
        members.any(FieldDescriptorProto::proto3_optional)
    };
    let oneofs = (0..message.oneof_decl.len() as i32).filter(|&index| !synthetic(index));
    let mut more = Vec::new();
    for index in oneofs {
        let member = format!("{NEWER}_member_{index}");
        more.push(FieldDescriptorProto {
            oneof_index: Some(index),
            ..field(&member, Type::Message, Some(EXTRA))
        });
    }
    for kind in SCALARS {
        let name = format!("{NEWER}_{}", kind.as_str_name().to_lowercase());
        more.push(field(&name, kind, None));
    }
    more.push(field("newer_mood", Type::Enum, Some(MOOD)));
    more.push(field("newer_extra", Type::Message, Some(EXTRA)));
    more.push(repeated(field("newer_extras", Type::Message, Some(EXTRA))));
    more.push(repeated(field("newer_numbers", Type::Uint32, None)));
    more.push(repeated(field("newer_texts", Type::String, None)));
    let entry = format!(".broadside.v1.{}.NewerLabelsEntry", message.name());
    more.push(repeated(field("newer_labels", Type::Message, Some(&entry))));
    for mut field in more {
        field.number = Some(next);
        next += 1;
        message.field.push(field);
    }
    message.nested_type.push(DescriptorProto {
        name: Some("NewerLabelsEntry".to_owned()),
        field: vec![
            numbered(1, field("key", Type::String, None)),
            numbered(2, field("value", Type::Message, Some(EXTRA))),
        ],
        options: Some(MessageOptions {
            map_entry: Some(true),
            ..MessageOptions::default()
        }),
        ..DescriptorProto::default()
    });
}

fn grow_enum(it: &mut EnumDescriptorProto) {
    let name = format!("NEWER_VALUE_OF_{}", it.name());
    it.value.push(value(&name, NEWER_VALUE));
}

/// What the richer fields are made of.
fn newer_file() -> FileDescriptorProto {
    let member = |field: FieldDescriptorProto| FieldDescriptorProto {
        oneof_index: Some(0),
        ..field
    };
    let extra = DescriptorProto {
        name: Some("NewerExtra".to_owned()),
        field: vec![
            numbered(1, field("newer_text", Type::String, None)),
            numbered(2, field("newer_nested", Type::Message, Some(EXTRA))),
            numbered(3, repeated(field("newer_more", Type::Message, Some(EXTRA)))),
            numbered(4, member(field("newer_number", Type::Uint64, None))),
            numbered(5, member(field("newer_word", Type::String, None))),
            numbered(6, field("newer_mood", Type::Enum, Some(MOOD))),
        ],
        oneof_decl: vec![OneofDescriptorProto {
            name: Some("choice".to_owned()),
            ..OneofDescriptorProto::default()
        }],
        ..DescriptorProto::default()
    };
    let mood = EnumDescriptorProto {
        name: Some("NewerMood".to_owned()),
        value: vec![
            value("NEWER_MOOD_UNSPECIFIED", 0),
            value("NEWER_MOOD_GOOD", NEWER_VALUE),
        ],
        ..EnumDescriptorProto::default()
    };
    FileDescriptorProto {
        name: Some(FILE.to_owned()),
        package: Some("broadside.v1".to_owned()),
        syntax: Some("proto3".to_owned()),
        message_type: vec![extra],
        enum_type: vec![mood],
        ..FileDescriptorProto::default()
    }
}

fn field(name: &str, kind: Type, of: Option<&str>) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        type_name: of.map(str::to_owned),
        ..FieldDescriptorProto::default()
    }
}

fn numbered(number: i32, field: FieldDescriptorProto) -> FieldDescriptorProto {
    FieldDescriptorProto {
        number: Some(number),
        ..field
    }
}

fn repeated(field: FieldDescriptorProto) -> FieldDescriptorProto {
    FieldDescriptorProto {
        label: Some(Label::Repeated.into()),
        ..field
    }
}

fn value(name: &str, number: i32) -> EnumValueDescriptorProto {
    EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        ..EnumValueDescriptorProto::default()
    }
}

/// Reads a message of the richer contract, which one of this contract is too.
///
/// # Panics
/// If there is no such message, or the bytes are none.
#[must_use]
pub fn read(name: &str, bytes: &[u8]) -> DynamicMessage {
    let message = pool().get_message_by_name(name).unwrap();
    DynamicMessage::decode(message, bytes).unwrap()
}

/// An empty message of the richer contract.
fn empty(name: &str) -> DynamicMessage {
    DynamicMessage::new(pool().get_message_by_name(name).unwrap())
}

/// Sets everything that is newer in a message, and in every message that it holds, but for members of oneofs: those would take
/// the place of what is set.
pub fn grow(message: &mut DynamicMessage) {
    for (_, value) in message.fields_mut() {
        match value {
            Value::Message(inner) => grow(inner),
            Value::List(list) => list.iter_mut().for_each(|it| {
                if let Value::Message(inner) = it {
                    grow(inner);
                }
            }),
            _ => {}
        }
    }
    let of = message.descriptor();
    let newer = of.fields().filter(is_newer);
    for field in newer.filter(|field| field.containing_oneof().is_none()) {
        let value = sample(&field, 3);
        message.set_field(&field, value);
    }
}

fn is_newer(field: &FieldDescriptor) -> bool {
    field.name().starts_with(NEWER)
}

fn sample(field: &FieldDescriptor, depth: u32) -> Value {
    if field.is_map() {
        let label = (
            MapKey::String("label".to_owned()),
            Value::Message(extra(depth)),
        );
        return Value::Map([label].into());
    }
    let one = match field.kind() {
        Kind::Double => Value::F64(-2.5),
        Kind::Float => Value::F32(2.5),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(-3),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(i64::MIN),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(u32::MAX),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(u64::MAX),
        Kind::Bool => Value::Bool(true),
        Kind::String => Value::String("newer ✓".to_owned()),
        Kind::Bytes => Value::Bytes(vec![0, 255].into()),
        Kind::Enum(_) => Value::EnumNumber(NEWER_VALUE),
        Kind::Message(_) => Value::Message(extra(depth)),
    };
    match field.is_list() {
        true => Value::List(vec![one.clone(), one]),
        false => one,
    }
}

fn extra(depth: u32) -> DynamicMessage {
    let mut extra = empty("broadside.v1.NewerExtra");
    extra.set_field_by_name("newer_text", Value::String("more".to_owned()));
    extra.set_field_by_name("newer_number", Value::U64(7));
    extra.set_field_by_name("newer_mood", Value::EnumNumber(NEWER_VALUE));
    if depth > 0 {
        extra.set_field_by_name("newer_nested", Value::Message(self::extra(depth - 1)));
    }
    extra
}

/// A message of which nothing is set but the newer member of its oneof.
///
/// # Panics
/// If there is no such message, or it has no oneof.
#[must_use]
pub fn newer_member(name: &str) -> DynamicMessage {
    let mut message = empty(name);
    message.set_field_by_name("newer_member_0", Value::Message(extra(1)));
    message
}
