/** Renders the Helm chart. Its schema checks the values, and its templates produce the objects. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type Defined, parseTemplate, renderTemplate, type Value } from './template.ts';

export const CHART = join(import.meta.dirname, '../../deploy/helm/donor-sync');

const valueSchema: z.ZodType<Value> = z.json();
const recordSchema = z.record(z.string(), valueSchema);

/** The common parts of all Kubernetes objects. */
export const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});

export type KubernetesObject = z.infer<typeof objectSchema>;

export interface Rendered {
  objects: KubernetesObject[];
  notes: string;
}

/** Returns the names of the sample files in `ci`. Each file contains values that a user could choose. */
export function sampleNames(): string[] {
  return globSync('*-values.yaml', { cwd: join(CHART, 'ci') }).sort();
}

export function readSample(name: string): Record<string, Value> {
  return readValues(join('ci', name));
}

function readValues(file: string): Record<string, Value> {
  return recordSchema.parse(parse(readFileSync(join(CHART, file), 'utf8')));
}

/**
 * Renders the chart as `helm template` does. The values replace the chart's default values. Throws an error if the
 * schema rejects the values.
 */
export function renderChart(
  own: Record<string, Value>,
  release = { Name: 'donors', Namespace: 'donor-sync' },
): Rendered {
  const values = merged(readValues('values.yaml'), own);
  requireValid(values);
  const { name, version, appVersion } = z
    .object({ name: z.string(), version: z.string(), appVersion: z.string() })
    .parse(readValues('Chart.yaml'));
  const dot: Value = {
    Values: asHelmReads(values),
    Release: { ...release, Service: 'Helm' },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
  };
  const defined: Defined = new Map();
  const files = globSync('templates/*', { cwd: CHART }).sort();
  const templates = files.map((file) => {
    try {
      return { file, nodes: parseTemplate(readFileSync(join(CHART, file), 'utf8'), defined) };
    } catch (cause) {
      throw new Error(`${file} cannot be read: ${String(cause)}`, { cause });
    }
  });
  const objects: KubernetesObject[] = [];
  let notes = '';
  for (const { file, nodes } of templates) {
    if (basename(file).startsWith('_')) continue;
    try {
      const text = renderTemplate(nodes, dot, defined);
      if (file.endsWith('NOTES.txt')) notes = text;
      else objects.push(...objectsOf(text));
    } catch (cause) {
      throw new Error(`${file} cannot be rendered: ${String(cause)}`, { cause });
    }
  }
  return { objects, notes };
}

function objectsOf(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw problem;
    const value: unknown = document.toJS();
    return value === null ? [] : [objectSchema.parse(value)];
  });
}

/** Merges values like Helm. Maps are merged, and all other values are replaced. */
function merged(base: Record<string, Value>, over: Record<string, Value>): Record<string, Value> {
  const result = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
}

function isMap(value: Value | undefined): value is { [key: string]: Value } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Converts numbers like Helm, which reads them as floating-point numbers and prints one million as 1e+06. */
function asHelmReads(value: Value): Value {
  if (typeof value === 'number' && Math.abs(value) >= 1_000_000) {
    throw new Error(`Helm would print ${value} in another form`);
  }
  if (Array.isArray(value)) return value.map(asHelmReads);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asHelmReads(one)]));
}

function requireValid(values: Record<string, Value>): void {
  const schema = readValuesSchema();
  const ajv = new Ajv({ allErrors: true, strictRequired: false, strictTypes: false });
  if (ajv.validate(schema, values)) return;
  throw new Error(`values.schema.json refuses the values: ${ajv.errorsText(ajv.errors)}`);
}

export function readValuesSchema(): Record<string, Value> {
  const text = readFileSync(join(CHART, 'values.schema.json'), 'utf8');
  return recordSchema.parse(JSON.parse(text));
}
