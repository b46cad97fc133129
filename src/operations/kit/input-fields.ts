/** What a terminal, a form and a reference need to know of an operation's input, read from its schema. */
import type { z } from 'zod';
import type { InputSchema } from './operation.ts';

export interface InputField {
  /** The key of the input: `createdAfter`. */
  key: string;
  /**
   * `list`: several texts; in the terminal with commas between them. `secret`: a text that no command line may hold,
   * because other users of the machine can read it there; the terminal takes it from an environment variable.
   * `document`: one object or several; the terminal reads them from a file.
   */
  kind: 'text' | 'secret' | 'flag' | 'choice' | 'list' | 'number' | 'document';
  /** The only values, of a choice or of a few numbers; empty if there are others. */
  choices: readonly string[];
  /** What the schema says of it, by `describe`. */
  description: string;
  isRequired: boolean;
}

/** A text that is a secret: a password field in forms and in the documents of the API. */
export function secretText(schema: z.ZodString): z.ZodString {
  return schema.meta({ format: SECRET_FORMAT });
}

const SECRET_FORMAT = 'password';

/** The fields of an input, in the order in which its schema declares them. */
export function listFields({ shape }: InputSchema): InputField[] {
  return Object.entries(shape).map(([key, schema]) => {
    const { inner, isRequired, description } = unwrap(schema as z.ZodType);
    return { key, isRequired, description, ...describeKind(inner) };
  });
}

/** What stands inside of `optional`, `nullable`, `default` and what changes a value after it was read. */
function unwrap(schema: z.ZodType): {
  inner: z.ZodType;
  isRequired: boolean;
  description: string;
} {
  let inner = schema;
  let isRequired = true;
  let description = schema.description ?? '';
  for (;;) {
    const { def } = inner as z.ZodType & {
      def: { type: string; innerType?: z.ZodType; in?: z.ZodType };
    };
    if (def.type === 'optional' || def.type === 'default') isRequired = false;
    const next = def.innerType ?? def.in;
    if (next === undefined) return { inner, isRequired, description };
    inner = next;
    description ||= inner.description ?? '';
  }
}

function describeKind(schema: z.ZodType): Pick<InputField, 'kind' | 'choices'> {
  const { def } = schema as z.ZodType & {
    def: {
      type: string;
      entries?: Record<string, string>;
      values?: readonly unknown[];
      element?: z.ZodType;
    };
  };
  switch (def.type) {
    case 'literal': {
      const { values = [] } = def;
      const isNumber = values.every((value) => typeof value === 'number');
      return { kind: isNumber ? 'number' : 'choice', choices: values.map(String) };
    }
    case 'enum':
      return { kind: 'choice', choices: Object.values(def.entries ?? {}) };
    case 'boolean':
      return { kind: 'flag', choices: [] };
    case 'array':
      return { kind: isObject(def.element) ? 'document' : 'list', choices: [] };
    case 'object':
    case 'record':
      return { kind: 'document', choices: [] };
    case 'number':
      return { kind: 'number', choices: [] };
    default:
      return { kind: schema.meta()?.['format'] === SECRET_FORMAT ? 'secret' : 'text', choices: [] };
  }
}

function isObject(schema: z.ZodType | undefined): boolean {
  return schema?.def.type === 'object' || schema?.def.type === 'record';
}

/** The option `error` of a strict schema with these keys: a key that it has not is named in a sentence. */
export function refuseUnknownKeys(what: 'filter' | 'field', keys: readonly string[]) {
  const known =
    keys.length === 0 ? `No ${what} is accepted here.` : `The ${what}s are ${keys.join(', ')}.`;
  return {
    error: (issue: { code?: string; keys?: readonly string[] }) =>
      issue.code === 'unrecognized_keys'
        ? `There is no ${what} ${(issue.keys ?? []).map((key) => `"${key}"`).join(', ')}. ${known}`
        : undefined,
  };
}
