/**
 * Renders the parts of Go's template language that our chart uses. The function throws an error for all other parts of
 * the language. If it accepts a template, Helm interprets the template in the same way. Unlike Helm, it treats a
 * missing value as an error.
 */
import { hash } from 'node:crypto';
import { stringify } from 'yaml';

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'print'; pipeline: Pipeline }
  | { kind: 'if'; condition: Pipeline; then: Node[]; else: Node[]; isDot: boolean }
  | { kind: 'range'; over: Pipeline; names: string[]; body: Node[] };

/** A series of commands. The result of each command becomes the last argument of the next command. */
type Pipeline = Operand[][];

type Operand =
  | { kind: 'value'; value: Value }
  | { kind: 'path'; from: string; keys: string[] }
  | { kind: 'function'; name: string }
  | { kind: 'pipeline'; pipeline: Pipeline };

export type Defined = Map<string, Node[]>;

interface Scope {
  dot: Value;
  /** The variables. A name includes the dollar sign. `$` is the root. */
  variables: ReadonlyMap<string, Value>;
  defined: Defined;
}

const ACTION = /\{\{(-\s)?([\s\S]*?)(\s-)?\}\}/g;
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|:=|[|(),]|[^\s|(),"]+)/y;

interface Piece {
  text?: string;
  action?: string;
}

/** Parses the nodes of a file, and adds its templates to `defined`. */
export function parseTemplate(source: string, defined: Defined): Node[] {
  const pieces = piecesOf(source);
  let at = 0;
  const nodes = parseUntil(true);
  if (at < pieces.length) throw new Error(`the template continues after {{${lastAction()}}}`);
  return nodes;

  function lastAction(): string {
    return pieces[at - 1]?.action ?? '';
  }

  /** Parses nodes until `end` or `else`. At the top level, parses nodes until the end of the file. */
  function parseUntil(isTop = false): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      const piece = pieces[at];
      at += 1;
      if (piece === undefined) {
        if (isTop) return nodes;
        throw new Error('a block of the template has no {{end}}');
      }
      if (piece.action === undefined) {
        if (piece.text) nodes.push({ kind: 'text', text: piece.text });
        continue;
      }
      const [word = '', rest = ''] = split(piece.action);
      if (word === 'end' || word === 'else') {
        if (isTop) throw new Error(`{{${piece.action}}} ends no block`);
        return nodes;
      }
      const node = parseAction(word, rest, piece.action);
      if (node !== null) nodes.push(node);
    }
  }

  function parseAction(word: string, rest: string, action: string): Node | null {
    if (word === 'define') {
      const [name, ...others] = tokensOf(rest);
      if (!name?.startsWith('"') || others.length > 0)
        throw new Error(`{{${action}}} is not known`);
      defined.set(textOf(name), parseUntil());
      return null;
    }
    if (word === 'if' || word === 'with') return parseBranch(word, rest);
    if (word === 'range') {
      const { names, over } = parseRange(rest);
      return { kind: 'range', names, over, body: parseUntil() };
    }
    return { kind: 'print', pipeline: parsePipeline(action) };
  }

  function parseBranch(word: 'if' | 'with', rest: string): Node {
    const condition = parsePipeline(rest);
    const then = parseUntil();
    const [last, more = ''] = split(lastAction());
    if (last === 'end') return { kind: 'if', condition, then, else: [], isDot: word === 'with' };
    if (more === '') {
      const otherwise = parseUntil();
      if (lastAction() !== 'end') throw new Error('after {{else}} comes {{end}}');
      return { kind: 'if', condition, then, else: otherwise, isDot: word === 'with' };
    }
    const [again, other = ''] = split(more);
    if (word !== 'if' || again !== 'if') throw new Error(`{{else ${more}}} is not known`);
    return { kind: 'if', condition, then, else: [parseBranch('if', other)], isDot: false };
  }
}

/** Splits a file into texts and actions, which alternate. `{{-` and `-}}` remove the surrounding white space. */
function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let isTrimmed = false;
  for (const match of source.matchAll(ACTION)) {
    const [whole, trimBefore, inner = '', trimAfter] = match;
    const text = source.slice(from, match.index);
    const left = isTrimmed ? text.trimStart() : text;
    pieces.push({ text: trimBefore ? left.trimEnd() : left });
    const action = inner.trim();
    if (action.startsWith('/*')) {
      if (!action.endsWith('*/')) throw new Error(`a comment has no end: ${action}`);
    } else pieces.push({ action });
    isTrimmed = trimAfter !== undefined;
    from = match.index + whole.length;
  }
  const rest = source.slice(from);
  if (/\{\{|\}\}/.test(rest)) throw new Error(`an action has no end: ${rest.slice(0, 80)}`);
  pieces.push({ text: isTrimmed ? rest.trimStart() : rest });
  return pieces;
}

function split(action: string): [string, string] {
  const [word = ''] = action.split(/\s/, 1);
  return [word, action.slice(word.length).trim()];
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) throw new Error(`"${text.slice(at)}" is not known`);
    tokens.push(token);
  }
  return tokens;
}

function parseRange(rest: string): { names: string[]; over: Pipeline } {
  const [head, tail] = rest.split(':=');
  if (tail === undefined) return { names: [], over: parsePipeline(rest) };
  const names = tokensOf(head ?? '').filter((token) => token !== ',');
  if (names.length !== 2 || names.some((name) => !/^\$\w+$/.test(name))) {
    throw new Error(`{{range ${rest}}} needs two names`);
  }
  return { names, over: parsePipeline(tail) };
}

function parsePipeline(text: string): Pipeline {
  const tokens = tokensOf(text);
  const pipeline = parseTokens(tokens);
  if (tokens.length > 0) throw new Error(`{{${text}}} has one bracket too many`);
  return pipeline;
}

/** Consumes the tokens up to and including a closing bracket. */
function parseTokens(tokens: string[]): Pipeline {
  const pipeline: Pipeline = [];
  let command: Operand[] = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (token === ')') break;
    if (token === '|') {
      pipeline.push(command);
      command = [];
    } else if (token === '(') command.push({ kind: 'pipeline', pipeline: parseTokens(tokens) });
    else command.push(operandOf(token));
  }
  pipeline.push(command);
  if (pipeline.some((one) => one.length === 0)) throw new Error('a command of a template is empty');
  return pipeline;
}

function operandOf(token: string): Operand {
  if (token.startsWith('"')) return { kind: 'value', value: textOf(token) };
  if (/^-?\d+$/.test(token)) return { kind: 'value', value: Number(token) };
  if (token === '.') return { kind: 'path', from: '.', keys: [] };
  if (/^\$?\w*(\.\w+)+$/.test(token) || /^\$\w*$/.test(token)) {
    const [from = '', ...keys] = token.split('.');
    return { kind: 'path', from: from || '.', keys };
  }
  if (Object.hasOwn(FUNCTIONS, token)) return { kind: 'function', name: token };
  throw new Error(`"${token}" is not known`);
}

function textOf(token: string): string {
  const text: unknown = JSON.parse(token);
  return String(text);
}

export function renderTemplate(nodes: readonly Node[], dot: Value, defined: Defined): string {
  return render(nodes, { dot, variables: new Map([['$', dot]]), defined });
}

function render(nodes: readonly Node[], scope: Scope): string {
  return nodes.map((node) => renderNode(node, scope)).join('');
}

function renderNode(node: Node, scope: Scope): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'print') return printed(evaluate(node.pipeline, scope));
  if (node.kind === 'if') {
    const value = evaluate(node.condition, scope);
    if (!isTrue(value)) return render(node.else, scope);
    return render(node.then, node.isDot ? { ...scope, dot: value } : scope);
  }
  const { names, body } = node;
  return entriesOf(evaluate(node.over, scope))
    .map(([key, dot]) => {
      const [keyName = '$', valueName = '$'] = names;
      const own = names.length > 0 ? [[keyName, key] as const, [valueName, dot] as const] : [];
      return render(body, { ...scope, dot, variables: new Map([...scope.variables, ...own]) });
    })
    .join('');
}

function entriesOf(value: Value): [Value, Value][] {
  if (Array.isArray(value)) return [...value.entries()];
  if (value !== null && typeof value === 'object') {
    return Object.keys(value)
      .sort()
      .map((key) => [key, value[key] ?? null]);
  }
  throw new Error(`{{range}} has nothing to iterate over: ${JSON.stringify(value)}`);
}

function evaluate(pipeline: Pipeline, scope: Scope): Value {
  let given: Value[] = [];
  for (const [first, ...others] of pipeline) {
    const args = [...others.map((operand) => operandValue(operand, scope)), ...given];
    if (first?.kind === 'function') {
      const work = FUNCTIONS[first.name];
      if (work === undefined) throw new Error(`the function ${first.name} is not known`);
      given = [work(args, scope)];
    } else {
      if (first === undefined || args.length > 0)
        throw new Error('only a function takes arguments');
      given = [operandValue(first, scope)];
    }
  }
  return given[0] ?? null;
}

function operandValue(operand: Operand, scope: Scope): Value {
  if (operand.kind === 'value') return operand.value;
  if (operand.kind === 'pipeline') return evaluate(operand.pipeline, scope);
  if (operand.kind === 'function') return evaluate([[operand]], scope);
  let value = operand.from === '.' ? scope.dot : scope.variables.get(operand.from);
  if (value === undefined) throw new Error(`there is no variable ${operand.from}`);
  for (const key of operand.keys) {
    const inner: Value | undefined =
      value !== null && typeof value === 'object' && !Array.isArray(value) ? value[key] : undefined;
    if (inner === undefined) throw new Error(`there is no ${operand.keys.join('.')}`);
    value = inner;
  }
  return value;
}

/** Returns false for missing, zero and empty values, like Go. */
function isTrue(value: Value): boolean {
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
}

function printed(value: Value): string {
  if (value === null || typeof value === 'object') {
    throw new Error(`this is printed but is not text: ${JSON.stringify(value)}`);
  }
  return String(value);
}

function wholeOf(value: Value | undefined): number {
  if (typeof value !== 'number') throw new Error(`${JSON.stringify(value)} is not a number`);
  return value;
}

function toYaml(value: Value): string {
  return stringify(value, { sortMapEntries: true, lineWidth: 0 }).trimEnd();
}

function indented(count: number, text: string): string {
  const pad = ' '.repeat(count);
  return pad + text.replaceAll('\n', `\n${pad}`);
}

const FUNCTIONS: Readonly<Record<string, (args: readonly Value[], scope: Scope) => Value>> = {
  include([name = null, dot = null], { defined }) {
    const nodes = defined.get(printed(name));
    if (nodes === undefined) throw new Error(`no template is called ${JSON.stringify(name)}`);
    return renderTemplate(nodes, dot, defined);
  },
  toYaml: ([value = null]) => toYaml(value),
  nindent: ([count, text = null]) => `\n${indented(wholeOf(count), printed(text))}`,
  quote: ([value = null]) => JSON.stringify(printed(value)),
  printf([format = null, ...args]) {
    const left = [...args];
    return printed(format).replaceAll(/%(.)/g, (_, letter: string) => {
      if (letter !== 's') throw new Error(`printf: %${letter} is not known`);
      return printed(left.shift() ?? null);
    });
  },
  trunc: ([count, text = null]) => printed(text).slice(0, wholeOf(count)),
  trimSuffix([end = null, text = null]) {
    const [ending, whole] = [printed(end), printed(text)];
    return whole.endsWith(ending) ? whole.slice(0, -ending.length) : whole;
  },
  sha256sum: ([text = null]) => hash('sha256', printed(text)),
  list: (args) => [...args],
  eq: ([one, other]) => one === other,
  or: (args) => args.find(isTrue) ?? args.at(-1) ?? null,
};
