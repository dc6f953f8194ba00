//! The elements of an array of NumPy as numbers.

use std::io;

use npyz::{DType, Deserialize, TypeChar, TypeRead};

use super::super::rounded::rounded;

/// The text of an element that 64-bit floating point rounds.
pub(super) type FindRounded = Box<dyn Fn(&[u8]) -> Option<String> + Send + Sync>;

/// Decodes bytes that hold whole elements, into as many numbers.
pub(super) type Decode = Box<dyn Fn(&[u8], &mut [f64]) -> io::Result<()> + Send + Sync>;

/// The decoder for a type of element and the element's size; `None` for what is no number.
pub(super) fn decoder(dtype: &DType) -> Option<(usize, Decode)> {
    let DType::Plain(element) = dtype else {
        return None;
    };
    let size = dtype.num_bytes()?;
    let decode = match (element.type_char(), size) {
        (TypeChar::Float, 8) => decode_as(dtype, |value: f64| value),
        (TypeChar::Float, 4) => decode_as(dtype, |value: f32| value.into()),
        (TypeChar::Int, 1) => decode_as(dtype, |value: i8| value.into()),
        (TypeChar::Int, 2) => decode_as(dtype, |value: i16| value.into()),
        (TypeChar::Int, 4) => decode_as(dtype, |value: i32| value.into()),
        // Beyond 2⁵³ the nearest number of 64-bit floating point, of which the table takes note.
        (TypeChar::Int, 8) => decode_as(dtype, |value: i64| value as f64),
        (TypeChar::Uint, 1) => decode_as(dtype, |value: u8| value.into()),
        (TypeChar::Uint, 2) => decode_as(dtype, |value: u16| value.into()),
        (TypeChar::Uint, 4) => decode_as(dtype, |value: u32| value.into()),
        (TypeChar::Uint, 8) => decode_as(dtype, |value: u64| value as f64),
        (TypeChar::Bool, 1) => decode_as(dtype, |value: bool| value.into()),
        _ => None,
    };
    Some((size, decode?))
}

/// What finds the elements of a type that 64-bit floating point rounds, if there are any.
pub(super) fn find_rounded(dtype: &DType) -> Option<FindRounded> {
    fn find<T: Deserialize<TypeReader: Send + Sync + 'static> + Into<i128>>(
        dtype: &DType,
    ) -> Option<FindRounded> {
        let reader = T::reader(dtype).ok()?;
        Some(Box::new(move |element| {
            rounded(reader.read_one(element).ok()?)
        }))
    }
    let DType::Plain(element) = dtype else {
        return None;
    };
    match (element.type_char(), dtype.num_bytes()?) {
        (TypeChar::Int, 8) => find::<i64>(dtype),
        (TypeChar::Uint, 8) => find::<u64>(dtype),
        _ => None,
    }
}

fn decode_as<T>(dtype: &DType, number: fn(T) -> f64) -> Option<Decode>
where
    T: Deserialize<TypeReader: Send + Sync + 'static> + 'static,
{
    let reader = T::reader(dtype).ok()?;
    let size = dtype.num_bytes()?;
    Some(Box::new(move |bytes, numbers| {
        for (element, own) in bytes.chunks_exact(size).zip(numbers) {
            *own = number(reader.read_one(element)?);
        }
        Ok(())
    }))
}
