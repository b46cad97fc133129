/** All that the database holds of an integration, for a nonprofit that takes it along. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/tables/tables.ts';
import type { FileOfContacts } from './contact-places.ts';

/** A value as it is taken along; instants are epoch ms. */
export type HeldValue = string | number | null;

/** Rows of one kind; the values stand in the order of the columns. */
export interface HeldTable {
  name: string;
  columns: readonly string[];
  pages: AsyncIterable<HeldValue[][]>;
}

/** Where rows are found, what is taken of them, and a key that tells each from all others. */
interface Taken {
  from: RawBuilder<unknown>;
  columns: readonly string[];
  key: readonly string[];
}

/** Each place with a contact's id that is exported has its file here, and some tables that have none. */
type ExportedFile = FileOfContacts | 'submissions' | 'networks' | 'network-members';

/** The columns are named one by one: fingerprints, secrets and keys of ours are of no use elsewhere. */
const TAKEN: Readonly<Record<ExportedFile, Taken>> = {
  contacts: {
    from: sql`contacts`,
    columns: [
      ...['crm_id', 'state', 'donor_id', 'asked_at', 'enhanced_at'],
      ...['outcome_reason', 'outcome_detail', 'outcome_at', 'merged_into', 'has_opted_out'],
      ...['missing_since', 'currency'],
    ],
    key: ['crm_id'],
  },
  jobs: {
    from: sql`jobs`,
    columns: [
      ...['tracking_id', 'submission_id', 'crm_id', 'reason', 'state', 'job_id'],
      ...['shared_from', 'submitted_at', 'closed_at'],
    ],
    key: ['tracking_id'],
  },
  submissions: {
    from: sql`submissions`,
    columns: ['id', 'run_id', 'state', 'persons', 'charged', 'intended_at', 'closed_at'],
    key: ['id'],
  },
  runs: {
    from: sql`runs`,
    columns: [
      ...['id', 'trigger', 'contact', 'status', 'reason_code', 'started_at', 'finished_at'],
      ...['read_count', 'chosen_count', 'submitted_count', 'enhanced_count', 'spent_enhancements'],
    ],
    key: ['id'],
  },
  'run-contacts': {
    from: sql`(select run_rows.*, integration_id from run_rows join runs on runs.id = run_id) as held`,
    columns: ['run_id', 'crm_id', 'reason', 'detail', 'at'],
    key: ['run_id', 'crm_id'],
  },
  holds: {
    from: sql`holds`,
    columns: ['id', 'crm_id', 'kind', 'detail', 'opened_at', 'decision', 'decided_at'],
    key: ['id'],
  },
  networks: {
    from: sql`networks`,
    columns: ['id', 'name', 'network_id', 'read_at', 'created_at'],
    key: ['id'],
  },
  'network-members': {
    from: sql`(select network_members.*, integration_id from network_members join networks on networks.id = network) as held`,
    columns: ['network', 'donor_id', 'state', 'detail', 'since'],
    key: ['network', 'donor_id'],
  },
  groups: {
    from: sql`network_wanted`,
    columns: ['network', 'crm_id'],
    key: ['network', 'crm_id'],
  },
  'warm-paths': {
    from: sql`warm_paths`,
    columns: [
      ...['crm_id', 'donor_id', 'people', 'strength_millionths', 'introducer_id', 'network_id'],
      ...['computed_at'],
    ],
    key: ['crm_id'],
  },
  // Without the profile itself, which is kept for delivery alone.
  'kept-profiles': {
    from: sql`kept_profiles`,
    columns: ['crm_id', 'tracking_id', 'is_delivered', 'kept_at', 'opted_out_at'],
    key: ['crm_id'],
  },
  'values-not-in-crm': {
    from: sql`value_states`,
    columns: ['crm_id', 'field', 'state', 'code', 'since'],
    key: ['crm_id', 'field'],
  },
};

const ROWS_PER_PAGE = 5_000;

/** What writes found in the CRM, sealed. */
const WRITES: Taken = {
  from: sql`writes`,
  columns: ['id', 'run_id', 'crm_id', 'written_at', 'before'],
  key: ['id'],
};

/** Tables with all their rows of the integration, by their keys; and its writes, whose values are sealed. */
export function readEverything(db: Database, integrationId: string) {
  const tables: HeldTable[] = Object.entries(TAKEN).map(([name, taken]) => ({
    name,
    columns: taken.columns,
    pages: readPages(taken),
  }));
  return { tables, writes: readPages(WRITES) };

  async function* readPages({ from, columns, key }: Taken): AsyncGenerator<HeldValue[][]> {
    const keys = sql.join(key.map((column) => sql.ref(column)));
    const names = sql.join(columns.map((column) => sql.ref(column)));
    let after: RawBuilder<unknown> = sql`1 = 1`;
    for (;;) {
      const { rows } = await sql<Record<string, HeldValue>>`
        select ${names} from ${from} where integration_id = ${integrationId} and ${after}
        order by ${keys} limit ${ROWS_PER_PAGE}`.execute(db);
      if (rows.length > 0) yield rows.map((row) => columns.map((column) => row[column] ?? null));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_PAGE) return;
      after = sql`(${keys}) > (${sql.join(key.map((column) => last[column]))})`;
    }
  }
}
