//! The macro that makes an enumeration and its methods of the table of instructions.
//!
//! It is a macro because an enumeration's variants, and patterns that bind their fields, can be written once in no other way.

/// Defines [`InstKind`](super::InstKind) and what the rest of the IR takes from the table. The table's head says what its entries mean.
macro_rules! define_instructions {
    (
        names: $function:ident, $check:ident, $eval:ident;
        $(
            $(#[$doc:meta])*
            $name:ident
            $( ( $($part:ident: $part_ty:ty),+ $(,)? ) )?
            $( { $( $(#[$field_doc:meta])* $field:ident: $field_ty:ty ),+ $(,)? } )?
            => {
                text: $mnemonic:literal [ $($suffix:ident $($word:literal)?),* ] ( $($item:tt)* );
                effects: $effects:expr;
                types: $types:expr;
                $( value: $value:expr; )?
                $( last_stage: $last_stage:ident; )?
                $( lanewise: $lanewise:expr; )?
            }
        )+
    ) => {
        /// Instructions. Result types are on the result values; see each for what they must be.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum InstKind {
            $(
                $(#[$doc])*
                $name $( ( $($part_ty),+ ) )? $( { $( $(#[$field_doc])* $field: $field_ty ),+ } )?,
            )+
        }

        impl InstKind {
            /// Every value that the instruction uses, in order.
            #[inline]
            #[allow(unused_variables, unused_mut)]
            pub fn values(&self) -> Operands<'_> {
                match self {
                    $(
                        InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => {
                            let mut operands = Operands::none();
                            $( $( Field::add_to($part, &mut operands); )+ )?
                            $( $( Field::add_to($field, &mut operands); )+ )?
                            operands
                        }
                    )+
                }
            }

            /// Shows every value that the instruction uses, in order, to be changed.
            #[inline]
            #[allow(unused_variables, unused_mut)]
            fn visit_mut<'a>(&'a mut self, mut f: impl FnMut(&'a mut Value)) {
                match self {
                    $(
                        InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => {
                            $( $( Field::visit_mut($part, &mut f); )+ )?
                            $( $( Field::visit_mut($field, &mut f); )+ )?
                        }
                    )+
                }
            }

            /// What it does besides giving its results.
            #[inline]
            #[allow(unused_variables)]
            pub fn effects(&self, $function: &Function) -> Effects {
                match self {
                    $( InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => $effects, )+
                }
            }

            /// Checks the types of operands and results (V-8 to V-10, V-12).
            #[allow(unused_variables)]
            pub(in crate::ir) fn check_types(&self, $check: &TypeCheck<'_>) -> Result<(), Broken> {
                match self {
                    $( InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => $types, )+
                }
            }

            /// The last stage at whose end the instruction may be left.
            #[allow(unused_variables)]
            pub fn last_stage(&self) -> Stage {
                match self {
                    $( InstKind::$name { .. } => [$( Stage::$last_stage, )? Stage::Structured][0], )+
                }
            }

            /// Whether lane n of the result depends on lane n of each vector operand alone, so that vectors can be split into parts.
            #[allow(unused_variables)]
            pub fn is_lanewise(&self) -> bool {
                match self {
                    $(
                        InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => {
                            [$( $lanewise, )? false][0]
                        }
                    )+
                }
            }

            /// The result's lanes; `None` for what does more than compute a value from its operands.
            #[cfg(test)]
            #[allow(unused_variables, unreachable_code)]
            pub(in crate::ir) fn evaluate(&self, $eval: &Evaluation<'_>) -> Option<Lanes> {
                match self {
                    $(
                        InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => {
                            $( return $value; )?
                            None
                        }
                    )+
                }
            }

            /// The instruction as text, without its results.
            #[allow(unused_variables)]
            pub(in crate::ir) fn to_text(&self, $function: &Function) -> String {
                let mut text = String::new();
                match self {
                    $(
                        InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )? => {
                            text.push_str($mnemonic);
                            $( print_suffix!(text, $suffix $($word)?); )*
                            $( print_item!(text, $function, $item); )*
                        }
                    )+
                }
                text
            }

            /// The reverse of [`InstKind::to_text`].
            #[allow(unused_mut)]
            pub(in crate::ir) fn from_text(
                parser: &mut Parser,
                $function: &mut Function,
            ) -> Result<InstKind, String> {
                let word = parser.word()?;
                $(
                    'other: {
                        let Some(mut suffix) = SuffixText::behind(&word, $mnemonic) else { break 'other };
                        $( parse_suffix!(suffix, 'other, $suffix $($word)?); )*
                        if !suffix.is_empty() {
                            break 'other;
                        }
                        $( parse_item!(parser, $function, $item); )*
                        return Ok(InstKind::$name $( ( $($part),+ ) )? $( { $($field),+ } )?);
                    }
                )+
                Err(format!("'{word}' is no instruction"))
            }
        }
    };
}

/// Prints a suffix of a mnemonic: a field's word, or a word of the table where the field is true.
macro_rules! print_suffix {
    ($text:ident, $field:ident) => {
        push_suffix(&mut $text, $field.to_suffix())
    };
    ($text:ident, $field:ident $word:literal) => {
        push_suffix(&mut $text, $field.then(|| $word.to_owned()))
    };
}

/// The reverse of [`print_suffix`].
macro_rules! parse_suffix {
    ($suffix:ident, $other:lifetime, $field:ident) => {
        let Some($field) = Suffix::from_suffix(&mut $suffix) else { break $other };
    };
    ($suffix:ident, $other:lifetime, $field:ident $word:literal) => {
        let $field = $suffix.accept($word);
    };
}

/// Prints a field, or the text between fields.
macro_rules! print_item {
    ($text:ident, $function:ident, $between:literal) => {
        $text.push_str($between)
    };
    ($text:ident, $function:ident, $field:ident) => {
        $text.push_str(&$field.to_item($function))
    };
}

/// The reverse of [`print_item`].
macro_rules! parse_item {
    ($parser:ident, $function:ident, $between:literal) => {
        $parser.between($between)?
    };
    ($parser:ident, $function:ident, $field:ident) => {
        let $field = Item::from_item($parser, $function)?;
    };
}
