import type { z } from 'zod';
import { didYouMean } from '../core/near-miss.ts';
import {
  alternativesAt,
  describeExpectation,
  type JsonSchema,
  knownKeys,
  knownWords,
  toJsonSchema,
  valueAt,
} from './expectation.ts';
import type { SettingPath } from './problem.ts';
import type { SettingsTree, TreeProblem } from './settings-tree.ts';

/** A checked part of the settings file. `parsed` is set if the part has no problem. */
export interface Checked<T> {
  /** The value that the schema has read, with defaults. */
  parsed: { value: T } | null;
  /** The value as written in the file, with numbers from variables converted to numbers. */
  written: unknown;
  problems: TreeProblem[];
}

/**
 * Checks the part of the file at `path` with a schema, and describes every problem. Uses the schema's own message for a
 * problem, if there is one. If the schema has no message, builds the message from the values that the schema accepts.
 */
export function checkPart<T>(
  tree: SettingsTree,
  path: SettingPath,
  schema: z.ZodType<T>,
): Checked<T> {
  const written = readVariables(tree, path, schema);
  // An empty message marks a problem for which the schema has no message. The check runs only once, so compiling the
  // schema is not worthwhile.
  const result = schema.safeParse(written, { error: () => '', jitless: true });
  if (result.success) return { parsed: { value: result.data }, written, problems: [] };
  const part: Part = { tree, path, schema, written };
  const problems = result.error.issues.flatMap((issue) => describeIssue(part, issue, issue.path));
  return { parsed: null, written, problems };
}

/** The part to check, with everything that is needed to describe and locate problems. */
interface Part {
  tree: SettingsTree;
  path: SettingPath;
  schema: z.ZodType;
  written: unknown;
}

/** Creating the JSON schema takes longer than the check. Only problems and variables need the JSON schema. */
function expectedAt({ schema, written }: Omit<Part, 'tree' | 'path'>, path: SettingPath) {
  return alternativesAt(toJsonSchema(schema), written, path);
}

/** Converts variables to numbers or booleans if the schema expects them, because variables are always text. */
function readVariables(tree: SettingsTree, path: SettingPath, schema: z.ZodType): unknown {
  const whole = structuredClone(valueAt(tree.value, path));
  for (const found of tree.interpolatedIn(path)) {
    const inside = found.path.slice(path.length);
    const types = expectedAt({ schema, written: whole }, inside).map((schema) => schema.type);
    const value = readAs(found.value, types);
    if (value !== found.value) setAt(whole, inside, value);
  }
  return whole;
}

function setAt(whole: unknown, path: SettingPath, value: unknown): void {
  const key = path.at(-1);
  const parent = valueAt(whole, path.slice(0, -1));
  if (typeof parent !== 'object' || parent === null || key === undefined) return;
  Reflect.set(parent, key, value);
}

function readAs(text: string, types: readonly JsonSchema['type'][]): unknown {
  if (types.includes('string')) return text;
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

function describeIssue(part: Part, issue: z.core.$ZodIssue, path: SettingPath): TreeProblem[] {
  const place = [...part.path, ...path];
  if (part.tree.getMark(place).incomplete) return [];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKeyProblem(part, [...path, key]));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return describeUnion(part, issue, path);
  }
  const message = issue.message || describeMismatch(part, path);
  return [{ path: place, position: part.tree.getMark(place).position, message }];
}

/**
 * Describes the problem if the schema allows several forms. If all problems of one form are at a deeper level, this is
 * the intended form, and only its problems are described. If no form is intended, describes the unknown keys, or lists
 * all possible forms.
 */
function describeUnion(
  part: Part,
  issue: z.core.$ZodIssueInvalidUnion,
  path: SettingPath,
): TreeProblem[] {
  const meant = issue.errors.filter((branch) => branch.every((inner) => inner.path.length > 0));
  const fitting = meant.filter((branch) => branch.every((inner) => isPresent(part, path, inner)));
  const [chosen] = fitting.length > 0 ? fitting : meant.length === 1 ? meant : [];
  if (chosen !== undefined) {
    return chosen.flatMap((inner) => describeIssue(part, inner, [...path, ...inner.path]));
  }
  const unknown = unknownKeysAt(part, path);
  if (unknown.length > 0) return unknown.map((key) => unknownKeyProblem(part, [...path, key]));
  const place = [...part.path, ...path];
  const message = describeMismatch(part, path);
  return [{ path: place, position: part.tree.getMark(place).position, message }];
}

function isPresent(part: Part, path: SettingPath, inner: z.core.$ZodIssue): boolean {
  return valueAt(part.written, [...path, ...inner.path.slice(0, 1)]) !== undefined;
}

function unknownKeysAt(part: Part, path: SettingPath): string[] {
  const known = knownKeys(expectedAt(part, path));
  const value = valueAt(part.written, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).filter((key) => !known.includes(key));
}

function unknownKeyProblem(part: Part, path: SettingPath): TreeProblem {
  const place = [...part.path, ...path];
  const known = knownKeys(expectedAt(part, path.slice(0, -1)));
  const hint = didYouMean(String(path.at(-1)), known);
  const others = known.length > 0 ? `; known here: ${known.join(', ')}` : '';
  const message = `unknown key${hint || others}`;
  return { path: place, position: part.tree.getMark(place).keyPosition, message };
}

function describeMismatch(part: Part, path: SettingPath): string {
  const alternatives = expectedAt(part, path);
  const expectation = describeExpectation(alternatives);
  const value = valueAt(part.written, path);
  if (value === undefined) return `missing: expected ${expectation}`;
  const words = typeof value === 'string' ? knownWords(alternatives) : [];
  const hint = words.length > 0 ? didYouMean(String(value), words) : '';
  const found = describeValue(part, path, value);
  if (hint !== '' && words.length > MAX_LISTED_WORDS) return `unknown word ${found}${hint}`;
  return `expected ${expectation}, got ${found}${hint}`;
}

/**
 * The maximum number of known words in a message with a guess. If there is a good guess, a longer list does not help.
 */
const MAX_LISTED_WORDS = 8;

/** Describes the value that was found, without revealing a secret. */
function describeValue(part: Part, path: SettingPath, value: unknown): string {
  const place = [...part.path, ...path];
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of settings';
  const [variable] = part.tree.getMark(place).variables;
  if (variable !== undefined) return `the value of ${variable}`;
  return isPublic(part, path) ? quote(value) : (WORDS_OF_TYPES[typeof value] ?? 'something else');
}

const WORDS_OF_TYPES: Readonly<Record<string, string>> = {
  string: 'some other text',
  number: 'a number',
  boolean: 'true or false',
};

/**
 * The maximum length of a quoted value. Longer values are shortened, because the line and column show where the rest
 * is.
 */
const MAX_QUOTED_LENGTH = 60;

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
}

const SECRET_NAMES = /key|secret|token|password|passphrase|credential|url|smtp|database|auth/i;

/**
 * True if a message may show the value at the path. Text in place of a group or a list may be a secret at the wrong
 * level. A value under a name that suggests a secret may also be a secret, except the `type` of a sign-in.
 */
function isPublic(part: Part, path: SettingPath): boolean {
  const alternatives = expectedAt(part, path);
  if (alternatives.some(({ type }) => type === 'object' || type === 'array')) return false;
  return path.at(-1) === 'type' || !path.some((step) => SECRET_NAMES.test(String(step)));
}
