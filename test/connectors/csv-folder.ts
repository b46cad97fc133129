import { mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import type {
  Connector,
  ConnectorOptions,
  ConnectorUses,
  ContactsSettings,
  Finding,
} from '../../connectors/contract.ts';
import { csvConnector } from '../../connectors/csv/connector.ts';
import type { CsvSettings } from '../../connectors/csv/settings.ts';
import { connectorDeps } from './connector-options.ts';

/** The columns in the test files, unless a file has other columns. */
export const COLUMNS = {
  id: 'Id',
  firstName: 'First',
  lastName: 'Last',
  addresses: ['Street', 'City'],
  employers: ['Employer'],
};

export interface CsvFolder {
  path(name: string): string;
  write(name: string, content: string | Buffer): Promise<void>;
  /** Replaces a file as most editors do. The editor creates a new file with the same name. */
  save(name: string, content: string | Buffer): Promise<void>;
  /** Sets the file's age to an hour, so that the connector does not wait for the rest of its last line. */
  age(name: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Reads the rows of a file with a CSV parser that the product does not use. */
  rows(name: string): Promise<Record<string, string>[]>;
  connector(options?: ConnectorChoices): Promise<Connector>;
  check(options?: ConnectorChoices): Promise<Finding[]>;
  /** Closes all connectors, even if the test failed, and removes the folder. */
  close(): Promise<void>;
}

export interface ConnectorChoices {
  settings?: Partial<CsvSettings>;
  contacts?: Partial<ContactsSettings>;
  signal?: AbortSignal;
  uses?: ConnectorUses;
}

/** Opens an empty folder. Its connectors read `in.csv`. */
export async function openCsvFolder(): Promise<CsvFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-csv-'));
  const path = (name: string) => join(folder, name);
  const opened: Connector[] = [];
  return {
    path,
    write: (name, content) => writeLongAgo(path(name), content),
    async save(name, content) {
      await writeLongAgo(path(`${name}.edited`), content);
      await rename(path(`${name}.edited`), path(name));
    },
    age: (name) => makeOld(path(name)),
    read: (name) => readFile(path(name), 'utf8'),
    rows: async (name) => parseRows(await readFile(path(name), 'utf8')),
    async connector(options) {
      const connector = await csvConnectorFor(path('in.csv'), options);
      opened.push(connector);
      return connector;
    },
    check: (options) => csvConnector.check(optionsFor(path('in.csv'), options)),
    async close() {
      for (const connector of opened) await connector.close();
      await rm(folder, { recursive: true });
    },
  };
}

const HOUR_MS = 3_600_000;

/**
 * Writes a file and sets an old time. Otherwise the connector would treat a file that ends in the middle of a line as
 * incomplete, and would wait for the rest.
 */
async function writeLongAgo(path: string, content: string | Buffer): Promise<void> {
  await writeFile(path, content);
  if (content.at(-1) === '\n' || content.at(-1) === 0x0a) return;
  await makeOld(path);
}

async function makeOld(path: string): Promise<void> {
  const then = (Date.now() - HOUR_MS) / 1000;
  await utimes(path, then, then);
}

/** Returns an open connector over this file. */
export function csvConnectorFor(path: string, options?: ConnectorChoices): Promise<Connector> {
  return csvConnector.open(optionsFor(path, options));
}

function optionsFor(path: string, options: ConnectorChoices = {}): ConnectorOptions<CsvSettings> {
  return {
    settings: csvConnector.settingsSchema.parse({
      kind: 'csv',
      path,
      columns: COLUMNS,
      ...options.settings,
    }),
    contacts: { filter: null, optOutField: null, ...options.contacts },
    deps: connectorDeps(options.signal),
    ...(options.uses === undefined ? {} : { uses: options.uses }),
  };
}

/** Parses CSV with a parser that the product does not use. */
export function parseRows(text: string): Record<string, string>[] {
  const rows: unknown = parse(text, { columns: true, bom: true, skip_empty_lines: true });
  return z.array(z.record(z.string(), z.string())).parse(rows);
}
