/**
 * Measures the ranking of introductions. The figures are its processor time, compared with decrypting its records, and
 * how long it blocks other work.
 */

import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createFingerprint } from '../../src/database/encryption/fingerprint.ts';
import { generateKey, parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { profileKeySealContext } from '../../src/database/encryption/seal-contexts.ts';
import { createSealer, type Sealer } from '../../src/database/encryption/sealed.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import type { Database, Tables } from '../../src/database/tables/tables.ts';
import { formatGiving } from '../../src/fields/giving-record.ts';
import { decryptGiving } from '../../src/fields/kept-profile.ts';
import { rankIntroductions } from '../../src/paths/rank-introductions.ts';
import { startPostgresServer } from '../../test/helpers/postgres-server.ts';
import { atMost, exactly, type Figure, median, plain, round, type Scenario } from '../figure.ts';
import { createDatabase } from '../postgres-database.ts';

const CONTACTS = 20_000;
const MEMBERS = 60;
const ROUNDS = 7;
const CLIENT = 'large';
const PROFILE = 'x'.repeat(900);
/** A text that is as long as the key of a profile. */
const KEY = 'k'.repeat(43);

export const ranking: Scenario = {
  name: 'ranking',
  title: `introductions of ${CONTACTS.toLocaleString('en-US')} contacts, on SQLite and Postgres`,
  measure: measureRanking,
};

async function measureRanking(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-ranking-'));
  try {
    const sqlite = await measureOn('SQLite', `sqlite:${join(folder, 'store.db')}`);
    const server = await startPostgresServer();
    try {
      const url = await createDatabase(server.url, 'ranking');
      return [...sqlite, ...(await measureOn('Postgres', url))];
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureOn(name: string, url: string): Promise<Figure[]> {
  const { db, close } = await openDatabase<Tables>(url);
  try {
    await migrateToLatest(db);
    const sealer = createSealer(parseKeyRing(generateKey()));
    const fingerprint = createFingerprint(createSecretKey(randomBytes(32)));
    await fill(db, sealer);
    const records = await db.selectFrom('kept_profiles').select(['crm_id', 'key']).execute();
    const reader = Object.assign(db, { clock: systemClock });
    const rank = () => rankIntroductions({ reader, fingerprint, sealer }, CLIENT);
    const ranked = await rank();
    const opened: number[] = [];
    const whole: number[] = [];
    const held: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      opened.push(
        await processorTime(async () => {
          for (const { crm_id: crmId, key } of records) {
            decryptGiving({ sealer }, CLIENT, crmId, key);
          }
        }),
      );
      await setTimeout(20);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      whole.push(await processorTime(rank));
      delay.disable();
      held.push(delay.max / 1e6);
    }
    return [
      exactly(`${name}: contacts in the ranking`, ranked.length, '', CONTACTS),
      plain(`${name}: opening the records`, round(median(opened)), 'ms'),
      plain(`${name}: the ranking`, round(median(whole)), 'ms'),
      atMost(
        `${name}: the ranking against opening its records`,
        round(median(whole) / median(opened)),
        '×',
        3,
      ),
      // Other work on the machine can only make a block longer, so the shortest block counts.
      atMost(`${name}: longest hold of the event loop`, round(Math.min(...held)), 'ms', 50),
    ];
  } finally {
    await close();
  }
}

/** Runs the work and returns its processor time (ms). */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function fill(db: Database, sealer: Sealer): Promise<void> {
  await db
    .insertInto('runs')
    .values({
      ...{
        id: 'run',
        integration_id: CLIENT,
        epoch: 1,
        trigger: 'manual',
        contact: '',
        full: 0,
        trial: 0,
      },
      ...{ status: 'succeeded', started_at: 1, finished_at: 2, read_count: 0, chosen_count: 0 },
      ...{ submitted_count: 0, enhanced_count: 0, shared_count: 0, spent_enhancements: 0 },
      undone_values: 0,
      undone_contacts: 0,
      undone_kept: 0,
    })
    .execute();
  await db
    .insertInto('networks')
    .values({
      ...{ id: 'board', integration_id: CLIENT, selector: 's', name: 'Board', network_id: 'n' },
      created_at: 1,
    })
    .execute();
  await db
    .insertInto('network_counts')
    .values({
      ...{ run_id: 'run', network: 'board', place: 0, name: 'Board' },
      ...{ added: 0, removed: 0, failed: 0 },
    })
    .execute();
  await db
    .insertInto('network_members')
    .values(
      Array.from({ length: MEMBERS }, (_, index) => ({
        ...{ network: 'board', donor_id: memberId(index), state: 'member' as const, since: 1 },
      })),
    )
    .execute();
  for (let from = 0; from < CONTACTS; from += 500) {
    const ids = Array.from({ length: 500 }, (_, index) => from + index);
    await db
      .insertInto('contacts')
      .values(
        ids.map((index) => ({
          ...{ integration_id: CLIENT, crm_id: contactId(index), state: 'settled' as const },
          ...{ identity: 'i', eligible: 1, priority: 1, donor_id: `donor-${index}` },
          ...{ outcome_reason: 'written', outcome_at: 1, owned_values: '{}' },
        })),
      )
      .execute();
    await db
      .insertInto('warm_paths')
      .values(
        ids.map((index) => ({
          ...{ integration_id: CLIENT, crm_id: contactId(index), donor_id: `donor-${index}` },
          ...{ stale: 0, computed_at: 1, found_at: 1, people: 1, network_id: 'n' },
          introducer_id: memberId(index % MEMBERS),
          strength_millionths: 450_000 + ((index * 7_919) % 550_000),
        })),
      )
      .execute();
    await db
      .insertInto('kept_profiles')
      .values(
        ids.map((index) => ({
          ...{ integration_id: CLIENT, crm_id: contactId(index), tracking_id: `t-${index}` },
          ...{
            is_delivered: 1,
            field_map: 'm',
            kept_at: 1,
            donor: 'd',
            profile: PROFILE,
          },
          key: sealer.seal(
            formatGiving({ band: index % 6, isMillionaire: false, isDeceased: false }) + KEY,
            profileKeySealContext(CLIENT, contactId(index)),
          ),
        })),
      )
      .execute();
  }
}

function contactId(index: number): string {
  return `003${String(index).padStart(15, '0')}`;
}

function memberId(index: number): string {
  return `member-${index}`;
}
