import type { z } from 'zod';
import type { InputSchema } from './operation.ts';

export interface InputField {
  /** The key in the input, for example `createdAfter`. */
  key: string;
  /**
   * The kind of the field. `list` means several values, which the terminal separates with commas. `secret` values come
   * from an environment variable, because other users could read a command line. `document` means objects from a file.
   */
  kind: 'text' | 'secret' | 'flag' | 'choice' | 'list' | 'number' | 'document';
  /** The possible values of a choice. Empty for all other kinds. */
  choices: readonly string[];
  /** The description that the schema sets with `describe`. */
  description: string;
  isRequired: boolean;
}

/** Marks a text field as a secret. Forms show a password field for a secret. */
export function secretText(schema: z.ZodString): z.ZodString {
  return schema.meta({ format: SECRET_FORMAT });
}

const SECRET_FORMAT = 'password';

/** Lists the fields of an input, in the order of its schema. */
export function listFields({ shape }: InputSchema): InputField[] {
  return Object.entries(shape).map(([key, schema]) => {
    const { inner, isRequired, description } = unwrap(schema as z.ZodType);
    return { key, isRequired, description, ...describeKind(inner) };
  });
}

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

/** Returns the `error` option for a strict schema with these keys. The error message lists the unknown keys. */
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
