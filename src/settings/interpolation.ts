import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  Lexer,
  type LineCounter,
  type Node,
  Parser,
  visit,
} from 'yaml';
import type { Environment } from './environment.ts';

/** The result of replacing the `${NAME}` references in a setting's value. */
export interface Interpolation {
  text: string;
  /** The variables that the text names, in order. */
  variables: string[];
  /** The problems. A variable is not set, or a reference is misspelt or not closed. */
  problems: string[];
}

/** Matches `$${`, then `${NAME}`, then any other `${`. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^}\s]*\}?/g;

/**
 * Replaces every `${NAME}` with the variable's value from the environment. `$${` becomes a plain `${`. An unset or
 * empty variable is a problem (design, section 4.2), and its reference remains unchanged. Values are not interpolated
 * again, so a `${` in a variable's value also remains unchanged.
 */
export function interpolate(text: string, env: Environment): Interpolation {
  const variables: string[] = [];
  const problems: string[] = [];
  const replaced = text.replace(REFERENCE, (reference: string, name: string | undefined) => {
    if (reference === `$\${`) return `\${`;
    if (name === undefined) {
      problems.push(`"\${" must be followed by a name and "}"; write "$\${" for a plain "\${"`);
      return reference;
    }
    variables.push(name);
    const value = env[name];
    if (value) return value;
    problems.push(unsetMessage(name, value));
    return reference;
  });
  return { text: replaced, variables, problems };
}

function unsetMessage(name: string, value: string | undefined): string {
  const state = value === undefined ? 'not set' : 'empty';
  return `the environment variable ${name} is ${state}`;
}

/** Reads YAML within limits, so that donor-sync refuses an excessive file quickly. */

/**
 * The maximum length of a settings file in characters. A file with 5,000 integrations and separate field maps has 5
 * million characters.
 */
export const MAX_LENGTH = 8_000_000;

/**
 * The maximum depth of settings. No valid setting is this deep. The parser's time grows with the square of the depth,
 * and the parser fails at some depth.
 */
export const MAX_DEPTH = 40;

/** The number of the parser's own levels around the settings: the document and its first collection. */
const PARSER_LEVELS = 4;

/** A parsed file: its content, or the position at which it exceeds a limit. */
export type YamlFile =
  | { document: Document; secondDocumentAt: number | null; excess: null }
  | { excess: { offset: number; message: string } };

/**
 * Parses YAML that should be one document. Duplicate keys are not an error here, because this check would make the
 * parser compare each key with all previous keys.
 */
export function parseYaml(text: string, lineCounter: LineCounter): YamlFile {
  if (text.length > MAX_LENGTH) return { excess: { offset: 0, message: describeTooLong() } };
  lineCounter.addNewLine(0);
  const parser = new Parser(lineCounter.addNewLine);
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false });
  const documents: Document.Parsed[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (parser.stack.length > MAX_DEPTH + PARSER_LEVELS) {
      return { excess: { offset: parser.offset, message: TOO_DEEP } };
    }
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(true, text.length));
  const [document, second] = documents;
  if (document === undefined) throw new Error('The parser made no document.');
  return { document, secondDocumentAt: second?.range[0] ?? null, excess: null };
}

/** Formats the number only when a message needs it, because formatting the first number takes about 10 ms. */
function describeTooLong(): string {
  return `the file has more than ${MAX_LENGTH.toLocaleString('en-US')} characters: keep integrations in the database instead (donor-sync apply)`;
}

const TOO_DEEP = `this is nested more than ${MAX_DEPTH} levels deep, and no setting is; is a bracket or an indentation wrong?`;

/**
 * Returns the target of each alias. The target is the last anchor with the alias's name before the alias. The parser's
 * own search would read the whole file for each alias.
 */
export function aliasTargets(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    },
  });
  return targets;
}
