import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { fromRow } from '../../../src/store/engine/from-row.ts';
import { migrateToLatest } from '../../../src/store/engine/migrate.ts';
import type { Database } from '../../../src/store/engine/tables.ts';
import {
  bindSeals,
  hasUnboundSeals,
  markSealsBound,
} from '../../../src/store/secrets/bind-seals.ts';
import {
  createFingerprint,
  FINGERPRINT_KEY,
  loadFingerprintKey,
} from '../../../src/store/secrets/fingerprint.ts';
import { generateKey, parseKeyRing } from '../../../src/store/secrets/key-ring.ts';
import { resealAll } from '../../../src/store/secrets/reseal.ts';
import {
  consentVerifierPlace,
  hookSecretPlace,
  secretPlace,
  settingsPlace,
  valuesBeforePlace,
} from '../../../src/store/secrets/seal-places.ts';
import { createSealer, createUnboundOpener, isBound } from '../../../src/store/secrets/sealed.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { runProgram } from '../programs/run-program.ts';
import { sealUnbound } from './unbound-seal.ts';

const KEY = generateKey('2026');
const OTHER_KEY = generateKey('2025');
const ring = parseKeyRing(KEY);
const MARKER = 'seals_bound';
const FINGERPRINT_BYTES = Buffer.alloc(32, 7);

const WRITES = 1_201;
const write = (at: number) => ({ id: `w-${at}`, integrationId: 'riverside', crmId: `003-${at}` });
const CONSENT = { state_hash: 'h', integration_id: 'riverside' };

function sealsOf(secretKey: string) {
  const keys = parseKeyRing(secretKey);
  return { sealer: createSealer(keys), unbound: createUnboundOpener(keys) };
}

describeEachDatabase('bindSeals', (open) => {
  it('binds what an older version sealed, each text to its own row, and changes no text', async () => {
    const { db } = await openOlder();
    expect(await hasUnboundSeals(db)).toBe(true);
    const all = WRITES + 5;
    expect(await bindSeals(db, sealsOf(KEY))).toEqual({ bound: all, missingKeys: [], damaged: 0 });
    expect(await hasUnboundSeals(db)).toBe(false);
    await expectAllBound(db);
  });

  it('has nothing to do a second time, and believes no text of the older form from then on', async () => {
    const { db } = await openOlder();
    await bindSeals(db, sealsOf(KEY));
    const planted = await sealUnbound(ring, 'planted');
    await db.updateTable('hooks').set({ secret: planted }).execute();
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ bound: 0 });
    expect(await secretOfHook(db)).toBe(planted);
    expect(() => createSealer(ring).open(planted, hookSecretPlace('riverside'))).toThrow(
      expect.objectContaining({ code: 'sealed_value_unbound' }),
    );
  });

  it('believes none either when the marker is taken away or exchanged', async () => {
    const { db } = await openOlder();
    await bindSeals(db, sealsOf(KEY));
    const planted = await sealUnbound(ring, 'planted');
    await db.updateTable('hooks').set({ secret: planted }).execute();
    await db.deleteFrom('secrets').where('name', '=', MARKER).execute();
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ bound: 0 });
    expect(await secretOfHook(db)).toBe(planted);

    await markSealsBound(db, sealsOf(KEY));
    const { value } = await db
      .selectFrom('secrets')
      .select('value')
      .where('name', '=', 'token')
      .executeTakeFirstOrThrow();
    await db.updateTable('secrets').set({ value }).where('name', '=', MARKER).execute();
    await expect(bindSeals(db, sealsOf(KEY))).rejects.toMatchObject({
      code: 'sealed_value_damaged',
    });
  });

  it('believes none in a database that says that all is bound, if its first key is unbound', async () => {
    const { db } = await openOlder();
    const older = await keyOf(db);
    await bindSeals(db, sealsOf(KEY));
    await db
      .updateTable('secrets')
      .set({ value: older })
      .where('name', '=', FINGERPRINT_KEY)
      .execute();
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ bound: 0 });
    await expect(loadFingerprintKey(db, createSealer(ring))).rejects.toMatchObject({
      code: 'fingerprint_key_unreadable',
      message: expect.stringContaining('older version'),
    });
  });

  it('goes on where a killed process left off', async () => {
    const { db, url } = await openOlder();
    const killed = await runProgram('killed-binding.ts', [url, KEY]);
    expect(killed.signal).toBe('SIGKILL');
    const writes = await db.selectFrom('writes').select('before').execute();
    const done = writes.filter(({ before }) => isBound(before)).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(WRITES);
    expect(await hasUnboundSeals(db)).toBe(true);
    await bindSeals(db, sealsOf(KEY));
    await expectAllBound(db);
  });

  it('is done by several processes at once as by one', async () => {
    const { db } = await openOlder();
    await Promise.all([1, 2, 3].map(() => bindSeals(db, sealsOf(KEY))));
    await expectAllBound(db);
  });

  it('has nothing to do in a fresh database, whose first key is bound from its beginning', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ bound: 0 });
    expect(await db.selectFrom('secrets').selectAll().execute()).toEqual([]);
    await loadFingerprintKey(db, createSealer(ring));
    expect(isBound(await keyOf(db))).toBe(true);
    await markSealsBound(db, sealsOf(KEY));
    const marked = await db.selectFrom('secrets').selectAll().execute();
    expect(marked).toHaveLength(2);
    await markSealsBound(db, sealsOf(KEY));
    expect(await db.selectFrom('secrets').selectAll().execute()).toEqual(marked);
    await db
      .insertInto('secrets')
      .values({ name: 'planted', value: await sealUnbound(ring, 'planted') })
      .execute();
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ bound: 0 });
  });

  it('leaves the texts of a key that is not here until it is, and says so', async () => {
    const { db } = await openOlder();
    const elsewhere = await sealUnbound(parseKeyRing(OTHER_KEY), 'sealed by the key before');
    await db.updateTable('hooks').set({ secret: elsewhere }).execute();
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ missingKeys: ['2025'], damaged: 0 });
    expect(await secretOfHook(db)).toBe(elsewhere);

    // Meanwhile only texts of that key are believed.
    const planted = await sealUnbound(ring, 'planted');
    await db.insertInto('secrets').values({ name: 'planted', value: planted }).execute();
    const both = `${KEY},${OTHER_KEY}`;
    expect(await bindSeals(db, sealsOf(both))).toEqual({ bound: 1, missingKeys: [], damaged: 0 });
    const place = hookSecretPlace('riverside');
    expect(createSealer(ring).open(await secretOfHook(db), place)).toBe('sealed by the key before');
    await db.updateTable('hooks').set({ secret: elsewhere }).execute();
    expect(await bindSeals(db, sealsOf(both))).toMatchObject({ bound: 0 });
  });

  it('is not kept from binding the others by a text that no key opens', async () => {
    const { db } = await openOlder();
    await db.updateTable('hooks').set({ secret: 'no sealed text' }).execute();
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ missingKeys: [], damaged: 1 });
    expect(await bindSeals(db, sealsOf(KEY))).toMatchObject({ bound: 0 });
  });

  it('changes nothing without the key of the first key', async () => {
    const { db } = await openOlder();
    const before = await db.selectFrom('secrets').selectAll().orderBy('name').execute();
    await bindSeals(db, sealsOf(OTHER_KEY));
    expect(await db.selectFrom('secrets').selectAll().orderBy('name').execute()).toEqual(before);
    await expect(
      loadFingerprintKey(db, createSealer(parseKeyRing(OTHER_KEY))),
    ).rejects.toMatchObject({
      code: 'fingerprint_key_unreadable',
      message: expect.stringContaining('"2026"'),
    });
  });

  it('stops while an older version keeps on writing', async () => {
    const { db, url } = await openOlder();
    await writeAfterEveryWrite(db, url, await sealUnbound(ring, 'late'));
    const binding = bindSeals(db, sealsOf(KEY));
    await expect(binding).rejects.toMatchObject({
      kind: 'retriable',
      code: 'older_version_running',
    });
    expect(await hasUnboundSeals(db)).toBe(true);
  });

  /** An older version that is always the last to write into `hooks`. */
  async function writeAfterEveryWrite(db: Database, url: string, late: string): Promise<void> {
    if (url.startsWith('postgres')) {
      await sql
        .raw(
          `create function older_version() returns trigger language plpgsql as
           $$ begin new.secret := '${late}'; return new; end $$`,
        )
        .execute(db);
      await sql`create trigger older_version before update on hooks
        for each row execute function older_version()`.execute(db);
      return;
    }
    await sql
      .raw(
        `create trigger older_version after update on hooks
         begin update hooks set secret = '${late}' where rowid = new.rowid; end`,
      )
      .execute(db);
  }

  it('leaves bound texts to a rotation of the key, the marker too', async () => {
    const { db } = await openOlder();
    await bindSeals(db, sealsOf(KEY));
    const next = generateKey('2027');
    await resealAll(db, createSealer(parseKeyRing(`${next},${KEY}`)));
    await expectAllBound(db, next);
    expect(await bindSeals(db, sealsOf(next))).toMatchObject({ bound: 0 });
  });

  /** A database as an older version left it. */
  async function openOlder() {
    const { db, url } = await open();
    await migrateToLatest(db);
    const sealed = (text: string) => sealUnbound(ring, text);
    await db
      .insertInto('secrets')
      .values([
        { name: FINGERPRINT_KEY, value: await sealed(FINGERPRINT_BYTES.toString('base64url')) },
        { name: 'token', value: await sealed('token') },
      ])
      .execute();
    await db
      .insertInto('integrations')
      .values({ id: 'riverside', settings: await sealed('settings'), run_epoch: 0 })
      .execute();
    await db
      .insertInto('hooks')
      .values({
        integration_id: 'riverside',
        token_hash: 'h',
        signature: 'hmac',
        created_at: 1,
        secret: await sealed('hook'),
      })
      .execute();
    await db
      .insertInto('consents')
      .values({ ...CONSENT, verifier: await sealed('verifier'), expires_at: 1 })
      .execute();
    for (let start = 0; start < WRITES; start += 500) {
      const count = Math.min(500, WRITES - start);
      const rows = Array.from({ length: count }, async (_, at) => {
        const { id, integrationId, crmId } = write(start + at);
        return {
          id,
          run_id: 'r',
          integration_id: integrationId,
          crm_id: crmId,
          ...{ state: 'written' as const, after: '{}', owned_before: '{}', written_at: 1 },
          before: await sealed(`before ${crmId}`),
        };
      });
      await db
        .insertInto('writes')
        .values(await Promise.all(rows))
        .execute();
    }
    return { db, url };
  }
});

/** Every text is as it was, opens in its own row, and is bound to it. */
async function expectAllBound(db: Database, key = KEY): Promise<void> {
  const { open } = createSealer(parseKeyRing(key));
  const secrets = await db.selectFrom('secrets').selectAll().execute();
  const token = secrets.find(({ name }) => name === 'token');
  expect(open(token?.value ?? '', secretPlace('token'))).toBe('token');
  const { settings } = await db
    .selectFrom('integrations')
    .select('settings')
    .executeTakeFirstOrThrow();
  expect(open(settings ?? '', settingsPlace('riverside'))).toBe('settings');
  expect(open(await secretOfHook(db), hookSecretPlace('riverside'))).toBe('hook');
  const { verifier } = await db.selectFrom('consents').select('verifier').executeTakeFirstOrThrow();
  expect(open(verifier, consentVerifierPlace(fromRow(CONSENT)))).toBe('verifier');
  const writes = await db.selectFrom('writes').select(['id', 'before']).execute();
  const byId = new Map(writes.map(({ id, before }) => [id, before]));
  expect(byId.size).toBe(WRITES);
  for (let at = 0; at < WRITES; at += 1) {
    const { id, crmId } = write(at);
    expect(open(byId.get(id) ?? '', valuesBeforePlace(write(at)))).toBe(`before ${crmId}`);
  }
  const fingerprint = createFingerprint(
    await loadFingerprintKey(db, createSealer(parseKeyRing(key))),
  );
  const same = createFingerprint(createSecretKey(FINGERPRINT_BYTES));
  expect(fingerprint('identity', 'Ada')).toBe(same('identity', 'Ada'));
}

async function secretOfHook(db: Database): Promise<string> {
  const { secret } = await db.selectFrom('hooks').select('secret').executeTakeFirstOrThrow();
  return secret ?? '';
}

async function keyOf(db: Database): Promise<string> {
  const { value } = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', FINGERPRINT_KEY)
    .executeTakeFirstOrThrow();
  return value;
}
