//! What a newer contract has more does not touch what this one has.

use broadside_proto::v1;
use broadside_tests::newer::schema;
use prost::Message;

#[test]
fn what_is_newer_leaves_what_was_there_as_it_is() {
    let hello = v1::Hello {
        protocol_version: 1,
        profile: Some(v1::AgentProfile {
            name: "ada".to_owned(),
            variants: vec![1, 7],
            ..v1::AgentProfile::default()
        }),
        ..v1::Hello::default()
    };
    let request = v1::ConnectRequest {
        message: Some(v1::connect_request::Message::Hello(hello)),
    };
    let mut richer = schema::read("broadside.v1.ConnectRequest", &request.encode_to_vec());
    schema::grow(&mut richer);
    let bytes = richer.encode_to_vec();
    assert!(bytes.len() > 5 * request.encoded_len());
    assert_eq!(v1::ConnectRequest::decode(bytes.as_slice()), Ok(request));
    let hello = schema::read("broadside.v1.ConnectRequest", &bytes);
    let hello = hello.get_field_by_name("hello").unwrap().into_owned();
    let profile = hello.as_message().unwrap().get_field_by_name("profile");
    let profile = profile.unwrap().into_owned();
    // At every level.
    assert!(
        profile
            .as_message()
            .unwrap()
            .has_field_by_name("newer_labels")
    );
    let nothing = schema::newer_member("broadside.v1.ConnectResponse").encode_to_vec();
    let read = v1::ConnectResponse::decode(nothing.as_slice());
    assert_eq!(read, Ok(v1::ConnectResponse::default()));
}
