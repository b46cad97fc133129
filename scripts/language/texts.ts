/** Finds the sentences in a file that people read. They are in Markdown documents, in comments and in strings. */
import { parseSync } from 'rolldown/utils';

export interface Sentence {
  text: string;
  line: number;
  kind: 'document' | 'comment' | 'shown';
}

/** A text that has not been split into sentences yet, with the line number of each character. */
interface Passage {
  text: string;
  line: number;
  kind: Sentence['kind'];
}

const CODE = '`code`';

/** Returns the sentences in a Markdown document, without code blocks, HTML and addresses. */
export function readDocument(text: string): Sentence[] {
  return listBlocks(text.split('\n'), 1, 'document').flatMap(splitSentences);
}

/** Returns the sentences in a TypeScript file's comments and strings. */
export function readSource(file: string, text: string): Sentence[] {
  const { program, comments } = parseSync(file, text);
  const lineAt = createLineFinder(text);
  const passages = [...readComments(text, comments, lineAt), ...readShown(program, lineAt)];
  return passages.flatMap(splitSentences);
}

function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

interface Comment {
  type: 'Block' | 'Line';
  value: string;
  start: number;
  end: number;
}

function readComments(
  text: string,
  comments: readonly Comment[],
  lineAt: (offset: number) => number,
): Passage[] {
  const passages: Passage[] = [];
  let lines: { value: string; line: number; end: number }[] = [];
  const flush = () => {
    const [first] = lines;
    if (first !== undefined) {
      passages.push(
        ...listBlocks(
          lines.map(({ value }) => value),
          first.line,
          'comment',
        ),
      );
    }
    lines = [];
  };
  for (const { type, value, start, end } of comments) {
    const line = lineAt(start);
    if (type === 'Block') {
      flush();
      const rows = value.split('\n').map((row) => row.replace(/^\s*\*+ ?/, ''));
      passages.push(...listBlocks(rows, line, 'comment'));
      continue;
    }
    // Consecutive line comments form one passage.
    const last = lines.at(-1);
    if (last !== undefined && text.slice(last.end, start).trim() !== '') flush();
    if (last !== undefined && last.line + 1 !== line) flush();
    // Directives for compilers and linters are not sentences, so they are omitted. This line only recognises
    // directives.
    if (!/^\/|^\s*(?:biome-ignore|@ts-|#)/.test(value)) lines.push({ value, line, end });
  }
  flush();
  return passages;
}

const FENCE = /^\s*(?:>\s*)?(?:```|~~~)/;
const ITEM = /^\s*(?:[-*+]|\d+[.)]|@\w+)\s+/;

/** Returns the paragraphs, list items, headings and cells in a Markdown text. */
function listBlocks(rows: readonly string[], firstLine: number, kind: Sentence['kind']): Passage[] {
  const blocks: Passage[] = [];
  let open: Passage | undefined;
  let isCode = false;
  for (const [at, raw] of rows.entries()) {
    const line = firstLine + at;
    if (FENCE.test(raw)) {
      isCode = !isCode;
      open = undefined;
      continue;
    }
    if (isCode) continue;
    const row = raw.replace(/^\s*>\s?/, '');
    if (
      row.trim() === '' ||
      /^\s*<[^>]*>\s*$/.test(row) ||
      (/^( {4,}|\t)/.test(row) && open === undefined)
    ) {
      open = undefined;
      continue;
    }
    if (/^\s*\|/.test(row)) {
      open = undefined;
      // A list inside a cell is split at semicolons, because its entries are read separately.
      const cells = row.replaceAll(/`[^`]*`/g, CODE).split(/(?<!\\)\||; /);
      blocks.push(
        ...cells.filter((cell) => /[a-z]/i.test(cell)).map((cell) => ({ text: cell, line, kind })),
      );
      continue;
    }
    if (row.includes(' · ')) {
      open = undefined;
      blocks.push(...row.split(' · ').map((part) => ({ text: part, line, kind })));
      continue;
    }
    const isHeading = /^#{1,6} /.test(row);
    if (isHeading || ITEM.test(row) || open === undefined) {
      open = { text: row.replace(ITEM, '').replace(/^#+ /, ''), line, kind };
      blocks.push(open);
      if (isHeading) open = undefined;
    } else {
      open.text += `\n${row.trim()}`;
    }
  }
  return blocks;
}

const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|no|St|Dr|Mr|Mrs|Inc|approx)\.|\b[A-Z]\.)$/;

function splitSentences({ text, line, kind }: Passage): Sentence[] {
  const plain = toPlain(text);
  const sentences: Sentence[] = [];
  let start = 0;
  for (const match of plain.matchAll(/[.!?:;]["'”’)*_]*(?=\s)/g)) {
    const end = match.index + match[0].length;
    const before = plain.slice(start, end);
    const after = plain.slice(end).trimStart();
    if (/^[:;]/.test(match[0]) || ABBREVIATION.test(before)) continue;
    if (!/^[\p{Lu}\p{N}"'“‘(`[…*_]/u.test(after) && !/^donor-sync\b/.test(after)) continue;
    push(start, end);
    start = end;
  }
  push(start, plain.length);
  return sentences;

  function push(from: number, to: number): void {
    const raw = plain.slice(from, to);
    const trimmed = raw.trim();
    if (!/[a-z]/i.test(trimmed)) return;
    const skipped = raw.length - raw.trimStart().length;
    const newlines = plain.slice(0, from + skipped).split('\n').length - 1;
    sentences.push({ text: trimmed.replaceAll(/\s+/g, ' '), line: line + newlines, kind });
  }
}

/** Returns the text without Markdown syntax. A piece of code becomes a single word. Line breaks stay unchanged. */
function toPlain(text: string): string {
  return text
    .replaceAll(/``[^`]+``|`[^`]*`/g, (code) => CODE + '\n'.repeat(code.split('\n').length - 1))
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<\/?[a-z][^>]*>/g, ' ')
    .replaceAll(/https?:\/\/\S+/g, CODE)
    .replaceAll('**', '');
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'code',
  'em',
  'i',
  'kbd',
  'small',
  'span',
  'strong',
  'time',
]);

/** Kinds of nodes that contain no string for users. They are imports, types and SQL statements. */
const SILENT = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'ExportAllDeclaration',
  'TSLiteralType',
  'TaggedTemplateExpression',
]);

function readShown(program: unknown, lineAt: (offset: number) => number): Passage[] {
  const passages: Passage[] = [];
  visit(program);
  return passages;

  function add(text: string, start: number): void {
    const line = lineAt(start);
    for (const [at, part] of text.split('\n').entries()) {
      if (looksShown(part)) passages.push({ text: part, line: line + at, kind: 'shown' });
    }
  }

  function visit(value: unknown): void {
    if (Array.isArray(value)) {
      for (const each of value) visit(each);
      return;
    }
    if (!isNode(value) || SILENT.has(value.type)) return;
    if (value.type === 'JSXElement' || value.type === 'JSXFragment') {
      visitElement(value);
      return;
    }
    const text = textOf(value);
    if (text !== undefined) add(text, value.start);
    visitChildren(value, text !== undefined);
  }

  /**
   * Visits the parts of a node. If `isRead` is true, the strings have already been read, so only expressions are
   * visited.
   */
  function visitChildren(node: Node, isRead: boolean): void {
    for (const [key, child] of Object.entries(node)) {
      if (isRead && key === 'quasis') continue;
      if (isRead && node.type === 'BinaryExpression') visitOperand(child);
      else visit(child);
    }
  }

  function visitOperand(value: unknown): void {
    if (isNode(value) && textOf(value) !== undefined) visitChildren(value, true);
    else visit(value);
  }

  function visitElement(element: Node): void {
    const parts: { text: string; start: number }[] = [];
    collect(element, parts);
    let open: { text: string; start: number } | undefined;
    for (const part of [...parts, { text: '\n\n', start: 0 }]) {
      if (part.text === '\n\n') {
        if (open !== undefined) add(open.text, open.start);
        open = undefined;
      } else if (open !== undefined) open.text += part.text;
      else if (part.text.trim() !== '') open = { ...part };
    }
  }

  function collect(element: Node, parts: { text: string; start: number }[]): void {
    visit(element['openingElement']);
    for (const child of listOf(element['children'])) {
      if (child.type === 'JSXText') {
        parts.push({
          text: String(child['value']).replaceAll(/\s*\n\s*/g, ' '),
          start: child.start,
        });
      } else if (child.type === 'JSXElement' || child.type === 'JSXFragment') {
        const isInline = INLINE.has(nameOf(child)) || child.type === 'JSXFragment';
        if (nameOf(child) === 'code') {
          parts.push({ text: CODE, start: child.start });
          continue;
        }
        if (!isInline) parts.push({ text: '\n\n', start: 0 });
        collect(child, parts);
        if (!isInline) parts.push({ text: '\n\n', start: 0 });
      } else {
        const { expression } = child;
        const text = isNode(expression) ? textOf(expression) : undefined;
        parts.push({ text: text ?? '…', start: child.start });
        if (text === undefined) visit(expression);
      }
    }
  }
}

function nameOf(element: Node): string {
  const opening = element['openingElement'];
  const name = isNode(opening) ? opening['name'] : undefined;
  return isNode(name) && typeof name['name'] === 'string' ? name['name'] : '';
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/**
 * Returns the text of a string, a template or a concatenation. Expressions become `…`. Returns undefined for other
 * nodes.
 */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral') {
    return listOf(node['quasis'])
      .map((quasi) => cookedOf(quasi['value']))
      .join('…');
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const { left, right } = node;
    const parts = [left, right].map((each) => (isNode(each) ? textOf(each) : undefined));
    return parts.every((each) => each === undefined)
      ? undefined
      : parts.map((each) => each ?? '…').join('');
  }
  return undefined;
}

function cookedOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'cooked' in value
    ? String(value.cooked)
    : '';
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

/** Returns true if the string contains three consecutive words. Returns false for a database statement. */
function looksShown(text: string): boolean {
  return (
    /\b[a-z]{2,} [a-z'…]+ [a-z]{2,}/i.test(text) &&
    !/^\s*(?:select|insert|update|delete|create|alter|drop|with|begin|pragma|explain|vacuum)\b [a-z_"*(…]+/.test(
      text,
    )
  );
}
