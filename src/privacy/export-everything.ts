/**
 * Exports all data about a nonprofit into files, for example because the nonprofit no longer uses donor-sync. The
 * server sends each file while reading its data, and keeps no file.
 */

import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { Application } from '../application.ts';
import { parseOwned } from '../contacts/owned-values.ts';
import { type Clock, isoTime } from '../core/clock.ts';
import { toCsvParts } from '../core/csv-parts.ts';
import { isFatalError, RetriableError } from '../core/errors.ts';
import { plainCell } from '../core/printable.ts';
import type { WriteFile } from '../core/write-file.ts';
import { valuesBeforeSealContext } from '../database/encryption/seal-contexts.ts';
import { openValues } from '../fields/values.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { noteEntries } from './audit/record.ts';
import { AUDIT_HEADER, auditLines, pagesOfAudit } from './audit-view.ts';
import type { HeldValue } from './statements/everything.ts';
import { readEverything } from './statements/everything.ts';
import { VALUES_PURGED } from './statements/retention.ts';

export interface ExportedFile {
  name: string;
  rows: number;
}

interface ExportDeps {
  application: Pick<Application, 'store' | 'takeLease' | 'sealer'>;
  clock: Clock;
  writeFile: WriteFile;
}

interface Exported {
  integrationId: string;
  /** The settings without secrets, as YAML. */
  settings: string;
}

/**
 * The maximum total time for which the receiver may delay an export. During an export, no run, undo or erasure of the
 * client starts. Without this rule, the files would contain data from different times, and after an erasure they would
 * be incomplete. A transaction would also prevent this, but a database should not keep a transaction open for so long.
 * If the receiver accepts no data at all, the server ends the connection earlier (`stallTimeoutMs`).
 */
const MAX_RECEIVING_MS = 10 * 60_000;

/**
 * Writes all data about an integration while no run can change it. Throws AlreadyRunning during a sync and writes
 * nothing. Throws a RetriableError if the receiver is too slow. Records an audit entry before it reads any data, and a
 * second entry with the outcome. The second entry is missing only if the process is killed.
 */
export async function exportEverything(
  { application: { store, takeLease, sealer }, clock, writeFile }: ExportDeps,
  { integrationId, settings }: Exported,
): Promise<ExportedFile[]> {
  let bytes = 0;
  let receivingMs = 0;
  let leaseLost: AbortSignal | undefined;
  return withLease({ store, clock, takeLease }, integrationId, async (_, lost) => {
    leaseLost = lost;
    await noteEntries(store.act, [{ action: 'everything.exported', integrationId }]);
    try {
      const files = await writeAll();
      await noteEnd(true);
      return files;
    } catch (error) {
      await noteEnd(false);
      throw error;
    }
  });

  function noteEnd(isComplete: boolean): Promise<void> {
    const details = { bytes, complete: isComplete };
    return noteEntries(store.act, [{ action: 'everything.ended', integrationId, details }]);
  }

  async function writeAll(): Promise<ExportedFile[]> {
    const files: ExportedFile[] = [];
    const { tables, writes } = readEverything(store.reader, integrationId);
    for (const { name, columns, pages } of tables) {
      files.push(await writeRows(name, columns.map(toHead), pages, columns.map(isInstant)));
    }
    files.push(
      await writeRows('values-before', ['run', 'contact', 'at', 'field', 'value'], before(writes)),
    );
    files.push(await writeAudit());
    await writeText('README.txt', README);
    await writeText('settings.yaml', settings);
    return files;
  }

  async function writeRows(
    name: string,
    heads: readonly string[],
    pages: AsyncIterable<HeldValue[][]>,
    instants: readonly boolean[] = [],
  ): Promise<ExportedFile> {
    let rows = 0;
    await writeLines(name, stringify([[...heads]]), pages, (page) => {
      rows += page.length;
      return stringify(page.map((row) => row.map((value, at) => toCell(value, instants[at]))));
    });
    return { name: `${name}.csv`, rows };
  }

  async function writeAudit(): Promise<ExportedFile> {
    let rows = 0;
    await writeLines('audit', AUDIT_HEADER, pagesOfAudit(store, { integrationId }), (page) => {
      rows += page.length;
      return auditLines(page);
    });
    return { name: 'audit.csv', rows };
  }

  /**
   * Yields the values that runs overwrote and that donor-sync still stores. Leaves out a value if someone has changed
   * it in the database.
   */
  async function* before(writes: AsyncIterable<HeldValue[][]>): AsyncGenerator<HeldValue[][]> {
    for await (const page of writes) {
      yield page.flatMap((row) => {
        const [id, runId, crmId, writtenAt, sealed, after] = writeSchema.parse(row);
        if (sealed === VALUES_PURGED) return [];
        const values = openOrNothing(sealed, { id, integrationId, crmId });
        if (values === null) return [];
        const fields = new Set([...Object.keys(parseOwned(after)), ...Object.keys(values)]);
        return Array.from(fields, (field) => {
          const value = values[field] ?? null;
          const text = value === null ? null : String(value);
          return [runId, crmId, isoTime(writtenAt), field, text];
        });
      });
    }
  }

  function openOrNothing(sealed: string, place: Parameters<typeof valuesBeforeSealContext>[0]) {
    try {
      return openValues(sealer, sealed, valuesBeforeSealContext(place));
    } catch (error) {
      if (isFatalError(error)) return null;
      throw error;
    }
  }

  function writeLines<Page>(
    name: string,
    header: string,
    pages: AsyncIterable<Page>,
    toLines: (page: Page) => string,
  ): Promise<void> {
    return writeCounted(`${name}.csv`, toCsvParts(header, pages, toLines));
  }

  function writeText(name: string, text: string): Promise<void> {
    return writeCounted(name, inOnePart(text));
  }

  function writeCounted(name: string, parts: AsyncIterable<string>): Promise<void> {
    async function* counted() {
      for await (const part of parts) {
        leaseLost?.throwIfAborted();
        bytes += Buffer.byteLength(part);
        const sinceMs = clock.monotonicMs();
        yield part;
        receivingMs += clock.monotonicMs() - sinceMs;
        if (receivingMs > MAX_RECEIVING_MS) throw receiverTooSlow(integrationId);
      }
    }
    return writeFile(name, counted());
  }
}

function receiverTooSlow(integrationId: string): RetriableError {
  const minutes = MAX_RECEIVING_MS / 60_000;
  return new RetriableError(
    `The export of "${integrationId}" was stopped, because its recipient had kept it waiting for ${minutes} minutes, and no run of the client can start during an export. The export is incomplete. Repeat it over a faster connection, or in the terminal of the server: donor-sync export everything ${integrationId} --out FOLDER.`,
    { code: 'export_too_slow' },
  );
}

async function* inOnePart(text: string): AsyncGenerator<string> {
  yield text;
}

const word = z.string();

/** The columns of a write, in order. */
const writeSchema = z.tuple([word, word, word, z.coerce.number(), word, word]);

/** Converts a column name for the header, such as `enhanced_at` → `enhanced at`. */
function toHead(column: string): string {
  return column.replaceAll('_', ' ');
}

function isInstant(column: string): boolean {
  return /(^|_)at$|^since$/.test(column);
}

function toCell(value: HeldValue, isTime = false): string {
  if (value === null) return '';
  if (isTime) return Number(value) > 0 ? isoTime(Number(value)) : '';
  return typeof value === 'number' ? String(value) : plainCell(value);
}

const README = `All data that donor-sync held about this integration when it was exported.

contacts.csv         each contact by its id in the CRM: its status and when a credit was last spent on it
jobs.csv             each submission to the Partner Data Service, and its reason
submissions.csv      each request with its credits
runs.csv             each sync, and run-contacts.csv what it did to each contact (as long as that is kept)
holds.csv            the decisions that were pending, and what was decided
networks.csv         the groups mirrored into the service; their members are in network-members.csv and groups.csv
warm-paths.csv       who can introduce which contact
values-not-in-crm.csv  which fields lack a value that was paid for, and why
kept-profiles.csv    the contacts whose profile is kept for delivery, without its content
values-before.csv    what the CRM's fields contained before each write, as far as it is kept
audit.csv            who did what, when
settings.yaml        the settings, with variables in place of keys

Names and addresses are not included, because donor-sync does not keep them. Profiles are kept encrypted, only for delivery,
and delivered values are in the CRM. Times are in UTC.
`;
