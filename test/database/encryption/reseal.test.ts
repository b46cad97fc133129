import { expect, it } from 'vitest';
import { generateKey, parseKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { resealAll } from '../../../src/database/encryption/reseal.ts';
import {
  addressSealContext,
  consentVerifierSealContext,
  crmUserSealContext,
  foreignTextSealContext,
  hookSecretSealContext,
  monthResultsSealContext,
  passkeySealContext,
  personSealContext,
  profileKeySealContext,
  SEALED_COLUMNS,
  secretSealContext,
  settingsSealContext,
  setupDraftSealContext,
  undoAuthorSealContext,
  valuesBeforeSealContext,
} from '../../../src/database/encryption/seal-contexts.ts';
import {
  createSealer,
  NOTHING_SEALED,
  type SealContext,
} from '../../../src/database/encryption/sealed.ts';
import { fromRow } from '../../../src/database/from-row.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { TWO_TABLES, type TwoTables } from '../two-tables.ts';
import { sealUnbound } from './unbound-seal.ts';

const oldKey = generateKey('2026');
const newKey = generateKey('2027');
const before = createSealer(parseKeyRing(oldKey));
const during = createSealer(parseKeyRing(`${newKey},${oldKey}`));
const after = createSealer(parseKeyRing(newKey));

const NOTES = { table: 'notes', key: ['size', 'id'], boundTo: ['id'], column: 'body' } as const;
const noteAt = (id: string): SealContext => ({ table: 'notes', column: 'body', row: [id] });
const ROWS = 1_201;

describeEachDatabase('resealAll', (open) => {
  it('encrypts every old value again, page by page, and skips blank, empty and current values', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const notes = Array.from({ length: ROWS }, (_, index) => ({
      id: `note-${index}`,
      size: index % 3,
      body: before.seal(`body ${index}`, noteAt(`note-${index}`)),
    }));
    await db.insertInto('notes').values(notes).execute();
    await db.insertInto('notes').values({ id: 'blank', size: 0, body: null }).execute();
    await db.insertInto('notes').values({ id: 'nothing', size: 0, body: NOTHING_SEALED }).execute();
    await db
      .insertInto('notes')
      .values({ id: 'new', size: 0, body: during.seal('new', noteAt('new')) })
      .execute();

    expect(await resealAll(db, during, [NOTES])).toBe(ROWS);
    expect(await resealAll(db, during, [NOTES])).toBe(0);

    const rows = await db.selectFrom('notes').select(['id', 'body']).execute();
    const bodies = new Map(
      rows.map(({ id, body }) => [
        id,
        body === null || body === NOTHING_SEALED ? body : after.open(body, noteAt(id)),
      ]),
    );
    expect(bodies.size).toBe(ROWS + 3);
    expect(bodies.get('nothing')).toBe(NOTHING_SEALED);
    expect(bodies.get('blank')).toBeNull();
    expect(bodies.get('new')).toBe('new');
    for (const [index, { id }] of notes.entries()) expect(bodies.get(id)).toBe(`body ${index}`);
  });

  it('finds every sealed column of the product', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const write = { id: 'w', integrationId: 'riverside', crmId: '003' };
    const text = { id: 't', integration_id: 'riverside', run_id: 'r', crm_id: '003' };
    const consent = { state_hash: 'h', integration_id: 'riverside' };
    await db
      .insertInto('secrets')
      .values({ name: 'token', value: before.seal('t', secretSealContext('token')) })
      .execute();
    await db
      .insertInto('integrations')
      .values({
        id: 'riverside',
        settings: before.seal('s', settingsSealContext('riverside')),
        run_epoch: 0,
      })
      .execute();
    await db
      .insertInto('writes')
      .values({
        id: write.id,
        run_id: 'r',
        integration_id: write.integrationId,
        crm_id: write.crmId,
        state: 'written',
        before: before.seal('{}', valuesBeforeSealContext(write)),
        after: '{}',
        owned_before: '{}',
        introducer: '',
        written_at: 1,
      })
      .execute();
    await db
      .insertInto('hooks')
      .values({
        integration_id: 'riverside',
        token_hash: 'h',
        signature: 'hmac',
        secret: before.seal('h', hookSecretSealContext('riverside')),
        created_at: 1,
      })
      .execute();
    await db
      .insertInto('consents')
      .values({
        ...consent,
        verifier: before.seal('v', consentVerifierSealContext(fromRow(consent))),
        expires_at: 1,
      })
      .execute();
    await db
      .insertInto('foreign_texts')
      .values({
        ...text,
        sealed: before.seal('said', foreignTextSealContext(fromRow(text))),
        kept_at: 1,
      })
      .execute();
    await db
      .insertInto('run_undos')
      .values({ run_id: 'r', author: before.seal('Dana', undoAuthorSealContext('r')) })
      .execute();
    await db
      .insertInto('addresses')
      .values({
        ...{ id: 'k', slot: 'proposed', url: 'https://donors.example.org', proposed_at: 1 },
        secret: before.seal('s', addressSealContext('k')),
      })
      .execute();
    await db
      .insertInto('setup_drafts')
      .values({
        integration_id: 'riverside',
        draft: before.seal('d', setupDraftSealContext('riverside')),
        version: 1,
        updated_at: 1,
      })
      .execute();
    const person = { id: 'p', email: 'fingerprint', role: 'owner', created_at: 1 } as const;
    await db
      .insertInto('people')
      .values({ ...person, sealed: before.seal('{}', personSealContext('p')) })
      .execute();
    const passkey = { id: 'k', person_id: 'p', credential: 'c', public_key: 'k' };
    await db
      .insertInto('kept_profiles')
      .values({
        ...{ integration_id: 'riverside', crm_id: '003', tracking_id: 't', is_delivered: 1 },
        ...{ field_map: '', kept_at: 1, opted_out_at: null, donor: 'd', profile: 'p' },
        key: before.seal('k', profileKeySealContext('riverside', '003')),
      })
      .execute();
    await db
      .insertInto('month_results')
      .values({
        ...{ integration_id: 'riverside', month: '2026-11' },
        results: before.seal('{}', monthResultsSealContext('riverside', '2026-11')),
      })
      .execute();
    await db
      .insertInto('passkeys')
      .values({
        ...{
          ...passkey,
          counter: 0,
          transports: '[]',
          host: 'h',
          created_at: 1,
          last_used_at: null,
        },
        sealed: before.seal('phone', passkeySealContext('k')),
      })
      .execute();
    await db
      .insertInto('crm_users')
      .values({
        ...{ id: 'u', person_id: 'p', fingerprint: 'f', linked_at: 1 },
        sealed: before.seal('a user of a CRM', crmUserSealContext('u')),
      })
      .execute();
    expect(await resealAll(db, during)).toBe(SEALED_COLUMNS.length);
    const { before: values } = await db
      .selectFrom('writes')
      .select('before')
      .executeTakeFirstOrThrow();
    expect(after.open(values, valuesBeforeSealContext(write))).toBe('{}');
    const { verifier } = await db
      .selectFrom('consents')
      .select('verifier')
      .executeTakeFirstOrThrow();
    expect(after.open(verifier, consentVerifierSealContext(fromRow(consent)))).toBe('v');
  });

  it('stops at a value that was moved to another row, and leaves it as it is', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const moved = before.seal('a', noteAt('a'));
    await db.insertInto('notes').values({ id: 'b', size: 1, body: moved }).execute();
    await expect(resealAll(db, during, [NOTES])).rejects.toMatchObject({
      code: 'sealed_value_damaged',
      details: { table: 'notes', column: 'body' },
    });
    expect(await db.selectFrom('notes').select('body').execute()).toEqual([{ body: moved }]);
  });

  it('stops at a value in a form that it does not know, and leaves it as it is', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const unbound = await sealUnbound(parseKeyRing(oldKey), 'planted');
    await db.insertInto('notes').values({ id: 'a', size: 1, body: unbound }).execute();
    await expect(resealAll(db, during, [NOTES])).rejects.toMatchObject({
      code: 'sealed_value_damaged',
    });
    expect(await db.selectFrom('notes').select('body').execute()).toEqual([{ body: unbound }]);
  });

  it('stops at a value that no key opens, and what was resealed stays readable', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await db
      .insertInto('notes')
      .values({ id: 'a', size: 1, body: before.seal('a', noteAt('a')) })
      .execute();
    await expect(resealAll(db, after, [NOTES])).rejects.toMatchObject({
      code: 'secret_key_unknown',
    });
    expect(await resealAll(db, during, [NOTES])).toBe(1);
  });
});
