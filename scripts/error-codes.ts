/**
 * Finds the error codes in the sources. The script parses the TypeScript files. `test/shipping/error-codes.test.ts`
 * uses the result.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');

/** For each function, method and class that has an error code as an argument, the position of this argument. */
const CODE_ARGUMENT: Readonly<Record<string, number>> = {
  HttpError: 1,
  tryLater: 1,
  translation: 1,
  refusal: 0,
  forbidden: 0,
  stop: 0,
  stopSpending: 0,
};

/** Error classes whose details contain the code. The details are the argument after the message. */
const ERROR_CLASS = /^(?:Configuration|Retriable|Skippable|Fatal|Http)Error$/;

const CODE_PROPERTY: ReadonlySet<string> = new Set(['code', 'reason_code']);

/** The maximum number of constants and calls through which the script follows a code. */
const MAX_DEPTH = 5;

const IS_CODE = /^[a-z]+(?:_[a-z]+)*$/;

/** A place in the sources. */
export interface CodePlace {
  file: string;
  line: number;
  /** True if this place creates an error or stops a run. False if the code is only a member of an object. */
  isCreated: boolean;
  /** The message of the error, with `…` for each value in it. Omitted if the message is written elsewhere. */
  message?: string | undefined;
}

export interface FoundCodes {
  /** The places that use each code. */
  codes: ReadonlyMap<string, readonly CodePlace[]>;
  /**
   * The files that create an error with a code from a different place. `text` is the expression that provides the code.
   */
  passedOn: readonly { file: string; text: string }[];
}

/** A node in the syntax tree, with the properties that all nodes have. */
interface Node {
  type: string;
  start: number;
  end: number;
}

const nodeSchema = z.looseObject({ type: z.string(), start: z.int(), end: z.int() });
const literalSchema = z.object({ value: z.string() });
const numberSchema = z.object({ value: z.number() });
const nameSchema = z.object({ name: z.string() });
const constantSchema = z.object({ id: nameSchema, init: nodeSchema });
const functionSchema = z.object({ id: nameSchema, body: nodeSchema });
const returnSchema = z.object({ argument: nodeSchema });
const choiceSchema = z.object({ consequent: nodeSchema, alternate: nodeSchema });
const castSchema = z.object({ expression: nodeSchema });
const propertySchema = z.object({ key: nameSchema, value: nodeSchema });
const arraySchema = z.object({ elements: z.array(nodeSchema) });
const callSchema = z.object({
  callee: z.union([nameSchema, z.object({ property: nameSchema })]),
  arguments: z.array(nodeSchema),
});

/** The names in a file that can refer to a code. */
interface Scope {
  constants: ReadonlyMap<string, Node>;
  returns: ReadonlyMap<string, readonly Node[]>;
}

/** Returns all codes in the TypeScript files of the product and its connectors. */
export function findErrorCodes(): FoundCodes {
  const codes = new Map<string, CodePlace[]>();
  const passedOn: { file: string; text: string }[] = [];
  for (const file of globSync('{src,connectors}/**/*.{ts,tsx}', { cwd: ROOT }).sort()) {
    if (file.startsWith('src/core/codes/') || file.startsWith('connectors/memory/')) continue;
    const text = readFileSync(join(ROOT, file), 'utf8');
    if (!/code\b|Error\b|tryLater|refusal\(|forbidden\(|\.stop/.test(text)) continue;
    const nodes = listNodes(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
    const scope = readScope(nodes);
    for (const found of nodes.flatMap((each) => listCodeNodes(each))) {
      const { node, isOfError, isPassed = false, message } = found;
      const words = readWords(node, scope);
      const line = text.slice(0, node.start).split('\n').length;
      const place = { file, line, isCreated: isOfError || isPassed, message };
      for (const word of words ?? []) codes.set(word, [...(codes.get(word) ?? []), place]);
      if (words === null && isOfError) {
        passedOn.push({ file, text: text.slice(node.start, node.end) });
      }
    }
  }
  return { codes, passedOn };
}

function listNodes(root: unknown): Node[] {
  const found: Node[] = [];
  visit(root);
  return found;

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (isNode(value)) found.push(value);
    for (const child of Object.values(value)) visit(child);
  }
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string';
}

function readScope(nodes: readonly Node[]): Scope {
  const constants = new Map<string, Node>();
  const returns = new Map<string, readonly Node[]>();
  for (const node of nodes) {
    if (node.type === 'VariableDeclarator') {
      const constant = constantSchema.safeParse(node).data;
      if (constant !== undefined) constants.set(constant.id.name, constant.init);
    }
    if (node.type !== 'FunctionDeclaration') continue;
    const declared = functionSchema.safeParse(node).data;
    if (declared === undefined) continue;
    const results = listNodes(declared.body).flatMap((each) =>
      each.type === 'ReturnStatement' ? (returnSchema.safeParse(each).data?.argument ?? []) : [],
    );
    returns.set(declared.id.name, results);
  }
  return { constants, returns };
}

interface CodeNode {
  node: Node;
  isOfError: boolean;
  isPassed?: true;
  message?: string | undefined;
}

/** Returns the expressions in this node that are a code, and how each of them is used. */
function listCodeNodes(node: Node): CodeNode[] {
  if (node.type === 'Property') {
    const property = propertySchema.safeParse(node).data;
    const isCode = property !== undefined && CODE_PROPERTY.has(property.key.name);
    return isCode ? [{ node: property.value, isOfError: false }] : [];
  }
  if (node.type === 'ArrayExpression') return listTupleCode(node);
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return [];
  const call = callSchema.safeParse(node).data;
  if (call === undefined) return [];
  const name = 'name' in call.callee ? call.callee.name : call.callee.property.name;
  const at = CODE_ARGUMENT[name];
  const code = at === undefined ? undefined : call.arguments[at];
  const message = readMessage(call.arguments);
  if (code !== undefined) {
    return [{ node: code, isOfError: ERROR_CLASS.test(name), isPassed: true, message }];
  }
  if (!ERROR_CLASS.test(name)) return [];
  const facts = call.arguments[1];
  return facts === undefined ? [] : [{ node: codeIn(facts) ?? facts, isOfError: true, message }];
}

const templateSchema = z.object({
  quasis: z.array(z.object({ value: z.object({ cooked: z.string() }) })),
});

/** Returns the call's argument that is a sentence, or undefined if there is none. */
function readMessage(nodes: readonly Node[]): string | undefined {
  const texts = nodes.flatMap((node) => {
    if (node.type === 'Literal') return literalSchema.safeParse(node).data?.value ?? [];
    if (node.type !== 'TemplateLiteral') return [];
    const parts = templateSchema.safeParse(node).data?.quasis ?? [];
    return parts.map(({ value }) => value.cooked).join('…');
  });
  return texts.find((text) => text.includes(' '));
}

/** Handles the arguments of an HttpError in the form of a list, for example `[415, 'body_not_json', '…']`. */
function listTupleCode(node: Node): CodeNode[] {
  const [status, code] = arraySchema.safeParse(node).data?.elements ?? [];
  const isTuple = numberSchema.safeParse(status).success && literalSchema.safeParse(code).success;
  return isTuple && code !== undefined ? [{ node: code, isOfError: false }] : [];
}

const objectSchema = z.object({ properties: z.array(nodeSchema) });

function codeIn(facts: Node): Node | undefined {
  return objectSchema
    .safeParse(facts)
    .data?.properties.map((property) => propertySchema.safeParse(property).data)
    .find((property) => property?.key.name === 'code')?.value;
}

/** Returns all texts that an expression can have. Returns null if the expression is not a text. */
function readWords(node: Node, scope: Scope, depth = 0): readonly string[] | null {
  // The depth is limited, because functions and constants can refer to each other.
  if (depth > MAX_DEPTH) return null;
  switch (node.type) {
    case 'Literal': {
      const literal = literalSchema.safeParse(node).data;
      return literal !== undefined && IS_CODE.test(literal.value) ? [literal.value] : [];
    }
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return readWords(castSchema.parse(node).expression, scope, depth + 1);
    case 'ConditionalExpression': {
      const { consequent, alternate } = choiceSchema.parse(node);
      return readAll([consequent, alternate], scope, depth + 1);
    }
    case 'ObjectExpression': {
      const code = codeIn(node);
      return code === undefined ? null : readWords(code, scope, depth + 1);
    }
    case 'CallExpression': {
      const callee = callSchema.safeParse(node).data?.callee;
      const name = callee !== undefined && 'name' in callee ? callee.name : '';
      const results = scope.returns.get(name) ?? [];
      return results.length === 0 ? null : readAll(results, scope, depth + 1);
    }
    case 'Identifier': {
      const constant = scope.constants.get(nameSchema.parse(node).name);
      return constant === undefined || constant === node
        ? null
        : readWords(constant, scope, depth + 1);
    }
    default:
      return null;
  }
}

function readAll(nodes: readonly Node[], scope: Scope, depth: number): readonly string[] | null {
  const words = nodes.map((node) => readWords(node, scope, depth));
  return words.every((each) => each !== null) ? words.flat() : null;
}
