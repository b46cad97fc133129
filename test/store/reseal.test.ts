import { expect, it } from 'vitest';
import { generateKey, parseKeyRing } from '../../src/store/key-ring.ts';
import { migrateToLatest } from '../../src/store/migrate.ts';
import { resealAll, SEALED_COLUMNS } from '../../src/store/reseal.ts';
import { createSealer } from '../../src/store/sealed.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { TWO_TABLES, type TwoTables } from './two-tables.ts';

const oldKey = generateKey('2026');
const newKey = generateKey('2027');
const before = createSealer(parseKeyRing(oldKey));
const during = createSealer(parseKeyRing(`${newKey},${oldKey}`));
const after = createSealer(parseKeyRing(newKey));

const NOTES = { table: 'notes', key: ['size', 'id'], column: 'body' } as const;
const ROWS = 1_201;

describeEachDatabase('resealAll', (open) => {
  it('reseals every value, page by page, and leaves blanks and current ones alone', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const notes = Array.from({ length: ROWS }, (_, index) => ({
      id: `note-${index}`,
      size: index % 3,
      body: before.seal(`body ${index}`),
    }));
    await db.insertInto('notes').values(notes).execute();
    await db.insertInto('notes').values({ id: 'blank', size: 0, body: null }).execute();
    await db
      .insertInto('notes')
      .values({ id: 'new', size: 0, body: during.seal('new') })
      .execute();

    expect(await resealAll(db, during, [NOTES])).toBe(ROWS);
    expect(await resealAll(db, during, [NOTES])).toBe(0);

    const rows = await db.selectFrom('notes').select(['id', 'body']).execute();
    const bodies = new Map(
      rows.map(({ id, body }) => [id, body === null ? null : after.open(body)]),
    );
    expect(bodies.size).toBe(ROWS + 2);
    expect(bodies.get('blank')).toBeNull();
    expect(bodies.get('new')).toBe('new');
    for (const [index, { id }] of notes.entries()) expect(bodies.get(id)).toBe(`body ${index}`);
  });

  it('finds every sealed column of the product', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    await db
      .insertInto('secrets')
      .values({ name: 'token', value: before.seal('t') })
      .execute();
    await db
      .insertInto('integrations')
      .values({ id: 'riverside', settings: before.seal('s'), run_epoch: 0 })
      .execute();
    await db
      .insertInto('writes')
      .values({
        id: 'w',
        run_id: 'r',
        integration_id: 'riverside',
        crm_id: '003',
        state: 'written',
        before: before.seal('{}'),
        after: '{}',
        owned_before: '{}',
        written_at: 1,
      })
      .execute();
    await db
      .insertInto('hooks')
      .values({
        integration_id: 'riverside',
        token_hash: 'h',
        signature: 'hmac',
        secret: before.seal('h'),
        created_at: 1,
      })
      .execute();
    await db
      .insertInto('consents')
      .values({
        state_hash: 'h',
        integration_id: 'riverside',
        verifier: before.seal('v'),
        expires_at: 1,
      })
      .execute();
    await db
      .insertInto('foreign_texts')
      .values({
        ...{ id: 't', integration_id: 'riverside', run_id: 'r', crm_id: '003' },
        ...{ sealed: before.seal('said'), kept_at: 1 },
      })
      .execute();
    expect(await resealAll(db, during)).toBe(SEALED_COLUMNS.length);
  });

  it('stops at a value that no key opens, and what was resealed stays readable', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await db
      .insertInto('notes')
      .values({ id: 'a', size: 1, body: before.seal('a') })
      .execute();
    await expect(resealAll(db, after, [NOTES])).rejects.toMatchObject({
      code: 'secret_key_unknown',
    });
    expect(await resealAll(db, during, [NOTES])).toBe(1);
  });
});
