/**
 * Removes erased contacts from the spending journal. The journal contains no names. However, someone with the service
 * key and a job ID from the journal could fetch the profile. In addition, a restore would adopt the payment.
 */
import { sql } from 'kysely';
import type { JournalLine } from '../../credits/statements/journal/journal-lines.ts';
import { lockJournal } from '../../credits/statements/journal/lock-journal.ts';
import type { StoreJournal } from '../../credits/statements/journal/spending-journal.ts';
import { ENDED } from '../../credits/statements/recalled-payments.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Trx } from '../../database/tables/tables.ts';

export interface OtherForms {
  integrationIds: readonly string[];
  contacts: readonly string[];
}

const NO_FORMS: OtherForms = { integrationIds: [], contacts: [] };

/**
 * Removes all contacts that the database blocks from the journal. Also deletes payments that a restore has adopted for
 * blocked contacts. The journal keeps the credits and the number of jobs, so sums remain correct. Resolves with the
 * number of removed contacts and donors. Runs in a transaction, so that other processes cannot rewrite the file at the
 * same time.
 */
export function eraseFromJournal(
  journal: StoreJournal,
  forms: OtherForms = NO_FORMS,
): (trx: Trx) => Promise<number> {
  return async (trx) => {
    const erased = await listErased(trx, forms);
    await dropRecalledOfErased(trx, erased);
    if (journal.path === null) return 0;
    await lockJournal(trx);
    const { lines } = await journal.read();
    const jobs = new Set(lines.flatMap((line) => listErasedJobs(line, erased)));
    let removed = 0;
    const isChanged = lines.some((line) => withoutErased(line, erased, jobs) !== line);
    if (!isChanged) return removed;
    await journal.rewrite((line) => {
      const changed = withoutErased(line, erased, jobs);
      removed += countSubjects(line) - countSubjects(changed);
      return changed;
    });
    return removed;
  };
}

/**
 * Removes all contacts and donors of these clients from the journal. The journal keeps the charges and the service
 * keys' balances, because clients can share a service key. Resolves with the number of removed contacts and donors.
 */
export function eraseClientsFromJournal(
  journal: StoreJournal,
  integrationIds: readonly string[],
): (trx: Trx) => Promise<number> {
  return async (trx) => {
    if (journal.path === null || integrationIds.length === 0) return 0;
    await lockJournal(trx);
    const { lines } = await journal.read();
    const requests = new Set(
      lines.flatMap((line) =>
        line.what === 'intended' && integrationIds.includes(line.integration) ? line.id : [],
      ),
    );
    if (requests.size === 0) return 0;
    let removed = 0;
    await journal.rewrite((line) => {
      const changed = 'id' in line && requests.has(line.id) ? withoutSubjects(line) : line;
      removed += countSubjects(line) - countSubjects(changed);
      return changed;
    });
    return removed;
  };
}

function withoutSubjects(line: JournalLine): JournalLine {
  if (line.what === 'answered') return { ...line, jobs: {} };
  if (line.what !== 'intended') return line;
  const { subject } = line;
  if (subject.kind === 'enhancements') return { ...line, subject: { ...subject, contacts: [] } };
  return subject.kind === 'networks' ? { ...line, subject: { ...subject, donors: [] } } : line;
}

async function dropRecalledOfErased(trx: Trx, { donors }: Erased): Promise<void> {
  for (const batch of inFilledBatches([...donors])) {
    await trx.deleteFrom('recalled_adds').where('member_fingerprint', 'in', batch).execute();
  }
  await trx
    .deleteFrom('recalled_payments')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('forgotten')
          .select('state')
          .whereRef('forgotten.integration_id', '=', 'recalled_payments.integration_id')
          .where(
            sql<boolean>`recalled_payments.contact_fingerprint in (crm_id_fingerprint, ${ENDED} || crm_id_fingerprint)`,
          )
          .where('state', '<>', 'merged'),
      ),
    )
    .execute();
}

/**
 * The fingerprints of blocked contacts and of their donors, by client. Includes only donors that belonged to no other
 * contact.
 */
interface Erased {
  contacts: ReadonlySet<string>;
  donors: ReadonlySet<string>;
}

async function listErased(trx: Trx, { integrationIds, contacts }: OtherForms): Promise<Erased> {
  const rows = await trx
    .selectFrom('forgotten')
    .select(['integration_id', 'crm_id_fingerprint', 'donors'])
    .where('state', '<>', 'merged')
    .execute();
  return {
    contacts: new Set([
      ...rows.map((row) => toKey(row.integration_id, row.crm_id_fingerprint)),
      ...integrationIds.flatMap((id) => contacts.map((contact) => toKey(id, contact))),
    ]),
    donors: new Set(rows.flatMap(({ donors }) => JSON.parse(donors) as string[])),
  };
}

function toKey(integrationId: string, contact: string): string {
  return `${integrationId}\n${contact}`;
}

function listErasedJobs(line: JournalLine, { contacts }: Erased): string[] {
  if (line.what !== 'intended' || line.subject.kind !== 'enhancements') return [];
  const { integration } = line;
  return line.subject.contacts.flatMap(({ contact, trackingId }) =>
    contacts.has(toKey(integration, contact)) ? trackingId : [],
  );
}

/** Removes erased people from a journal line. Returns the line unchanged if it contains no erased person. */
function withoutErased(line: JournalLine, erased: Erased, jobs: ReadonlySet<string>): JournalLine {
  if (line.what === 'answered') {
    const kept = Object.entries(line.jobs).filter(([trackingId]) => !jobs.has(trackingId));
    const removed = Object.keys(line.jobs).length - kept.length;
    if (removed === 0) return line;
    return { ...line, jobs: Object.fromEntries(kept), erased: (line.erased ?? 0) + removed };
  }
  if (line.what !== 'intended') return line;
  const { subject } = line;
  if (subject.kind === 'enhancements') {
    const contacts = subject.contacts.filter(({ trackingId }) => !jobs.has(trackingId));
    const isWhole = contacts.length === subject.contacts.length;
    return isWhole ? line : { ...line, subject: { ...subject, contacts } };
  }
  if (subject.kind === 'networks') {
    const donors = subject.donors.filter((donor) => !erased.donors.has(donor));
    const isWhole = donors.length === subject.donors.length;
    return isWhole ? line : { ...line, subject: { ...subject, donors } };
  }
  return line;
}

function countSubjects(line: JournalLine): number {
  if (line.what !== 'intended') return 0;
  if (line.subject.kind === 'enhancements') return line.subject.contacts.length;
  return line.subject.kind === 'networks' ? line.subject.donors.length : 0;
}
