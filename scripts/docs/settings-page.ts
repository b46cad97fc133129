/**
 * Creates the settings reference. Names, values and defaults come from the schema of the settings. The explanations
 * come from the tables in the guide.
 */
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { z } from 'zod';
import { loadBuiltInConnectors, REMOTE_CRMS } from '../../connectors/index.ts';
import { editorSchema } from '../../src/settings/editor-schema.ts';

/** The parts of the JSON schema that the page needs. */
interface Schema {
  type?: string | string[] | undefined;
  default?: unknown;
  const?: unknown;
  enum?: unknown[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  format?: string | undefined;
  pattern?: string | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  items?: Schema | undefined;
  anyOf?: Schema[] | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    default: z.unknown().optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    items: schema.optional().catch(undefined),
    anyOf: z.array(schema).optional(),
  }),
);

interface Setting {
  key: string;
  values: string;
  initial: string;
}

/** For each kind of CRM, the section of the guide that explains its settings. */
const CRMS: Readonly<Record<string, string>> = {
  csv: '`crm` of a CSV file',
  ...Object.fromEntries(REMOTE_CRMS.map(({ kind, name }) => [kind, `\`crm\` of ${name}`])),
};

/** Returns the page as Markdown. Throws an error if the guide does not explain a setting. */
export async function writeSettingsPage(): Promise<string> {
  const meanings = readMeanings();
  const definitions = await loadBuiltInConnectors();
  const all = schema.parse(editorSchema(definitions));
  const { integrations, ...ofFile } = all.properties ?? {};
  const client = integrations?.items ?? {};
  const kinds = Object.entries(CRMS).map(([kind, section]) => {
    const settings = definitions.find((each) => each.kind === kind)?.settingsSchema;
    if (settings === undefined) throw new Error(`There is no connector for ${kind}.`);
    const own = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
    // `kind` is left out here, because the guide explains it together with the client.
    const listed = listSettings(schema.parse(own), '').filter(({ key }) => key !== 'kind');
    const table = writeTable(listed, meanings, section);
    return `## ${section}\n\n${table}`;
  });
  return `# All settings by name

Every setting, from the schema that donor-sync uses to check the file. [Settings](guides/settings.md) explains them in context. Where a
number, a truth value, a word or an address is expected, \`\${NAME}\` inserts a variable of the environment.

## The whole file

${writeTable(listSettings({ properties: ofFile, required: all.required }, ''), meanings, 'The file')}
## A client

Each entry of the list \`integrations\` is a client.

${writeTable(listSettings(client, ''), meanings, 'An integration')}
${kinds.join('\n')}`;
}

const DOCUMENT = 'docs/guides/settings.md';

/** The explanations from the guide's tables, by the heading of their section. */
type Meanings = ReadonlyMap<string, ReadonlyMap<string, string>>;

function readMeanings(): Meanings {
  const text = readFileSync(join(import.meta.dirname, '../..', DOCUMENT), 'utf8');
  const sections = text.split(/^## /m).map((section) => {
    const [heading = ''] = section.split('\n', 1);
    const rows = section.matchAll(/^\| (`.+?) \|.*?(?<!\\)\| (.+) \|$/gm);
    const found = [...rows].flatMap(([, names = '', meaning = '']) =>
      readNames(names).map((name) => [name, meaning] as const),
    );
    return [heading, new Map(found)] as const;
  });
  return new Map(sections);
}

/** Returns the names in the first cell of a row, for example in `contacts.includeDeceased`, `.includeDoNotContact`. */
function readNames(cell: string): string[] {
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const group = names[0]?.replace(/\.?[^.]*$/, '') ?? '';
  return names.map((name) => (name.startsWith('.') ? group + name : name));
}

function writeTable(settings: readonly Setting[], meanings: Meanings, section: string): string {
  const rows = settings.map(({ key, values, initial }) => {
    const meaning = explain(key, meanings.get(section));
    return `| \`${key}\` | ${values} | ${initial} | ${meaning} |`;
  });
  return `| Setting | Values | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

/**
 * Returns the guide's explanation of a setting. If the guide explains a whole group of settings, returns the name of
 * the group.
 */
function explain(key: string, meanings: ReadonlyMap<string, string> | undefined): string {
  const own = meanings?.get(key);
  if (own !== undefined) {
    // Links in the guide are relative to the guide's folder.
    return own.replace(/\]\((?!https?:)([^)]+)\)/g, (_, target) =>
      target.startsWith('#')
        ? `](guides/settings.md${target})`
        : `](${normalize(join('guides', target))})`,
    );
  }
  for (let group = key; group.includes('.'); ) {
    group = group.slice(0, group.lastIndexOf('.')).replace(/\[\]$/, '');
    if (meanings?.has(group)) return `see \`${group}\``;
  }
  throw new Error(`${DOCUMENT} does not explain ${key}.`);
}

/** Returns the settings in a part of the file, with the full name of each setting. */
function listSettings({ properties = {}, required = [] }: Schema, prefix: string): Setting[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const key = prefix + name;
    const inner = withoutVariable(given);
    const object = inner.find(({ properties: own }) => own !== undefined);
    const list = inner.find(({ items }) => items?.properties !== undefined);
    const below = object
      ? listSettings(object, `${key}.`)
      : list?.items
        ? listSettings(list.items, `${key}[].`)
        : [];
    const isGroup = object !== undefined && inner.length === 1;
    if (isGroup) return below;
    const initial = describeDefault(given, required.includes(name));
    return [{ key, values: inner.map(describe).join(' or '), initial }, ...below];
  });
}

/** Returns the alternatives for a value. Leaves out the alternative that refers to an environment variable. */
function withoutVariable(given: Schema): Schema[] {
  const isVariable = ({ pattern }: Schema) =>
    pattern?.includes('A-Za-z_') && pattern.startsWith('\\$\\{');
  const parts = (given.anyOf ?? [given]).filter((part) => !isVariable(part));
  return parts.flatMap((part) => (part.anyOf === undefined ? [part] : withoutVariable(part)));
}

function describe(part: Schema): string {
  if (part.const !== undefined) return code(part.const);
  if (part.enum !== undefined) return part.enum.map(code).join(', ');
  const { minimum, maximum, items } = part;
  switch (part.type) {
    case 'integer':
    case 'number': {
      const word = part.type === 'integer' ? 'whole number' : 'number';
      const from = minimum !== undefined && minimum > -1e15 ? ` from ${minimum}` : '';
      const to = maximum !== undefined && maximum < 1e15 ? ` to ${maximum}` : '';
      return `${word}${from}${to}`;
    }
    case 'boolean':
      return '`true`, `false`';
    case 'null':
      return '`null`';
    case 'array':
      return items === undefined || items.properties !== undefined
        ? 'list'
        : `list of: ${withoutVariable(items).map(describe).join(' or ')}`;
    case 'object':
      return 'group';
    default:
      return part.format === 'uri' ? 'address' : 'text';
  }
}

function describeDefault({ default: initial }: Schema, isRequired: boolean): string {
  if (initial !== undefined) return code(initial);
  return isRequired ? 'required' : 'none';
}

function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
  return `\`${text}\``.replaceAll('|', '\\|');
}
