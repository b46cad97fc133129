/**
 * Finds regular expressions that may need more than linear time. Checks every expression in the sources, and every
 * expression that a module builds while it loads. Prints the findings as JSON, and exits with 1 if there are any.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = '{src,connectors,service}/**/*.{ts,tsx}';

/** The time limits are switched off, because on a busy machine some expressions would remain undecided. */
const WITHOUT_TIMEOUT = { timeout: null, attackTimeout: null, incubationTimeout: null } as const;

/** Flags that the analyser does not know. These flags do not change the time that an expression needs. */
const UNKNOWN_FLAGS = /[dv]/g;

interface Expression {
  place: string;
  source: string;
  flags: string;
}

const literalSchema = z.object({
  start: z.int(),
  regex: z.object({ pattern: z.string(), flags: z.string() }),
});
const callSchema = z.object({ callee: z.object({ name: z.literal('RegExp') }) });

/** Returns the expressions in a file, and whether the file builds further expressions. */
function readExpressions(file: string): { written: Expression[]; isBuilding: boolean } {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const written: Expression[] = [];
  let isBuilding = false;
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return { written, isBuilding };

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const literal = literalSchema.safeParse(node).data;
    if (literal !== undefined) {
      const { pattern: source, flags } = literal.regex;
      const line = text.slice(0, literal.start).split('\n').length;
      written.push({ place: `${file}:${line}`, source, flags });
    }
    isBuilding ||= callSchema.safeParse(node).success;
    for (const child of Object.values(node)) visit(child);
  }
}

/** Loads the modules that build expressions. Returns these expressions by module. */
async function buildExpressions(files: readonly string[]): Promise<Expression[]> {
  const built: Expression[] = [];
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, args, newTarget) {
      const made: RegExp = Reflect.construct(target, args, newTarget);
      const stack = new Error().stack ?? '';
      const place = files.find((file) => stack.includes(`/${file}:`));
      if (place !== undefined) built.push({ place, source: made.source, flags: made.flags });
      return made;
    },
  });
  for (const file of files) {
    await import(pathToFileURL(join(ROOT, LOADED_FOR[file] ?? file)).href);
    if (built.some(({ place }) => place === file)) continue;
    throw new Error(`${file} does not build any expression while it loads.`);
  }
  return built;
}

/** Expressions that need quadratic time but read only strings of limited length. */
const BOUNDED: ReadonlySet<string> = new Set([
  // MAX_LENGTH is 100 characters.
  'src/mapping/money-range.ts',
  // MAX_QUESTION_LENGTH is 500 characters.
  'service/search/question/clause.ts',
]);

/**
 * Some modules build expressions only when they are called. For such a module, the script loads another module that
 * calls it.
 */
const LOADED_FOR: Readonly<Record<string, string>> = {
  'service/search/question/clause.ts': 'service/search/question/question.ts',
};

const files = globSync(SOURCES, { cwd: ROOT }).sort();
const read = files.map((file) => ({ file, ...readExpressions(file) }));
const builders = read.filter(({ isBuilding }) => isBuilding).map(({ file }) => file);
const built = await buildExpressions(builders);
const expressions = new Map<string, Expression>();
for (const each of [...read.flatMap(({ written }) => written), ...built]) {
  expressions.set(`${each.flags}/${each.source}`, each);
}

const findings: (Expression & { why: string })[] = [];
for (const each of expressions.values()) {
  if (BOUNDED.has(each.place)) continue;
  const flags = each.flags.replace(UNKNOWN_FLAGS, '');
  const found = await check(each.source, flags, WITHOUT_TIMEOUT);
  if (found.status === 'safe') continue;
  findings.push({
    ...each,
    why: found.status === 'vulnerable' ? found.complexity.summary : 'unknown',
  });
}
process.stdout.write(`${JSON.stringify({ checked: expressions.size, findings }, null, 2)}\n`);
process.exit(findings.length === 0 ? 0 : 1);
