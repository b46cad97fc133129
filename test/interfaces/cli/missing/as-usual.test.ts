/** Tests the notifications and the other steps of a run when many rows are missing. */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startWebhook } from '../../../clients/alerts/receivers.ts';
import { openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { holdsSchema } from '../documents.ts';
import {
  ASKED,
  editSettings,
  expectAllOf,
  expectRows,
  idsOf,
  LAYOUTS,
  openShortFile,
  type Row,
  type ShortFile,
  WELL,
} from './a-short-file.ts';

const open = closedAfterTest(openCliWorld);

const networksSchema = z.object({
  networks: z.array(z.object({ name: z.string(), member_ids: z.array(z.string()) })),
});

/** Returns the donors in the service's only network. */
async function members({ here }: ShortFile): Promise<string[]> {
  const reply = await fetch(`${here.service.rootUrl}/_sandbox/networks`);
  const { networks } = networksSchema.parse(await reply.json());
  return networks.flatMap(({ member_ids: ids }) => ids).toSorted();
}

function donorsOf(file: ShortFile, ids: readonly string[]): string[] {
  const wanted = new Set(ids);
  return [...file.paid]
    .flatMap(([id, row]) => (wanted.has(id) && row['Donor ID'] ? row['Donor ID'] : []))
    .toSorted();
}

describe('while many rows are missing', () => {
  /**
   * Opens a client with every tenth contact on the board. The group has its own guard, and too few board members are
   * missing to trigger the guard.
   */
  async function openBoard(): Promise<{ file: ShortFile; board: string[] }> {
    const isOnBoard = (at: number) => at % 6 === 0;
    const file = await openShortFile(open, {
      people: 120,
      service: { networkJobTimeMs: 0 },
      settings: '    networks: [{ name: Board, group: { column: Team, equals: Board } }]',
      prepare: (rows) => rows.map((row, at) => ({ ...row, Team: isOnBoard(at) ? 'Board' : '' })),
    });
    const board = file.exported.flatMap(({ Id = '', Team }) => (Team === 'Board' ? Id : []));
    return { file, board };
  }

  it('no group loses a member, and one who is new joins', async () => {
    const { file, board } = await openBoard();
    const before = donorsOf(file, board);
    expect(await members(file)).toEqual(before);
    const joiner = file.donors.find((id) => !board.includes(id)) ?? '';
    const short = file.exported
      .slice(0, 90)
      .map((row) => (row['Id'] === joiner ? { ...row, Team: 'Board' } : row));
    // Fewer than half of the members are missing. The guard of the group alone would therefore allow the removal.
    expect(board.filter((id) => !idsOf(short).includes(id)).length).toBeLessThan(board.length / 2);
    await file.export(short);
    expect(await file.sync()).toMatchObject(ASKED);
    const joined = [...before, file.paid.get(joiner)?.['Donor ID'] ?? ''].toSorted();
    expect(await members(file)).toEqual(joined);
    // The wait of the run does not allow the product to remove the members.
    expect(await file.answer('reject')).toBe(30);
    expect(await file.sync()).toMatchObject(WELL);
    expect(await members(file)).toEqual(joined);
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    expect(await members(file)).toEqual(before);
  });

  it('an approval removes the members with their contacts', async () => {
    const { file, board } = await openBoard();
    await file.export(file.exported.slice(0, 90));
    expect(await file.sync()).toMatchObject(ASKED);
    expect(await file.answer('approve')).toBe(30);
    expect(await file.sync()).toMatchObject(WELL);
    const left = board.filter((id) => idsOf(file.exported.slice(0, 90)).includes(id));
    expect(await members(file)).toEqual(donorsOf(file, left));
  });

  it('new contacts are bought and delivered, and changed ones are refreshed', async () => {
    const file = await openShortFile(open, { people: 60 });
    const [newcomer = {}, moved = {}] = [file.exported.at(-1), file.exported[0]];
    // A different person with an ID that the product has not recorded.
    const arrived: Row = { ...newcomer, Id: 'N1', Address: '7 Quarry Lane, Reno, NV 89501' };
    const other: Row = { ...moved, Address: '1 Elm Street, Reno, NV 89501' };
    await file.export([other, ...file.exported.slice(1, 25), arrived]);
    const { exitCode, report } = await file.sync();
    expect(exitCode).toBe(3);
    expect(report).toMatchObject({
      reason: { code: 'contacts_missing' },
      contacts: { read: 26, chosen: 2, submitted: 2, skipped: 0, held: 35 },
    });
    expect(await file.here.spent()).toBe(file.credits + 2);
    const rows = await file.output();
    expect(rows.size).toBe(61);
    expect([...rows.keys()].slice(0, 26)).toEqual([...idsOf(file.exported.slice(0, 25)), 'N1']);
    await expectRows(file, idsOf(file.exported.slice(1)));
  });

  it('it is said in an alert once, and that the settings made the list if they did', async () => {
    const webhook = await startWebhook();
    const file = await openShortFile(open, { people: 60 });
    try {
      await alertsTo(file, webhook.url);
      await file.export(file.exported.slice(0, 20));
      expect(await file.sync()).toMatchObject(ASKED);
      const alerts = await checkAlerts(file);
      const about = alerts.filter(({ subject }) => subject.startsWith('held_missing/'));
      expect(about).toHaveLength(1);
      expect(JSON.stringify(webhook.bodies)).toContain(
        '40 contacts are missing from the CRM, and nothing shows that they were deleted',
      );
      expect(JSON.stringify(webhook.bodies)).not.toContain('settings that determine the list');
      const sent = webhook.bodies.length;
      expect(await file.sync()).toMatchObject(ASKED);
      await checkAlerts(file);
      expect(webhook.bodies).toHaveLength(sent);
      await file.export(file.exported);
      expect(await file.sync()).toMatchObject(WELL);
      expect(
        (await checkAlerts(file)).filter(({ subject }) => subject.includes('missing')),
      ).toEqual([]);
    } finally {
      await webhook.close();
    }
  });

  it('the question says that another list was chosen', async () => {
    const file = await openShortFile(open, {
      people: 60,
      prepare: (rows) => rows.map((row) => ({ ...row, Died: '' })),
    });
    await editSettings(
      file.here,
      'settleAfterMs: 200',
      'settleAfterMs: 200\n    contacts: { deceasedField: Died }',
    );
    await file.export(file.exported.slice(0, 20));
    expect(await file.sync()).toMatchObject(ASKED);
    const { batches } = await file.here.runJson(['holds'], holdsSchema);
    expect(batches[0]?.reason).toContain('settings that determine the list');
    await editSettings(file.here, '\n    contacts: { deceasedField: Died }', '');
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });
});

describe('rows that left after an approval and are back', () => {
  it.each(LAYOUTS)('say again how donor-sync stands with them, in %s', async (layout) => {
    const file = await openShortFile(open, {
      layout,
      people: 60,
      settings:
        '    fields: [{ from: donorId, to: Donor ID }, { from: age, to: Donor Age }, { from: sync.status, to: State }]',
    });
    const states = [...file.paid.values()].map(({ State }) => State);
    expect(states.filter((state) => state === 'Written').length).toBe(file.donors.length);
    await file.export(file.exported.slice(0, 20));
    expect(await file.sync()).toMatchObject(ASKED);
    await file.answer('approve');
    expect(await file.sync()).toMatchObject(WELL);
    await file.export(file.exported);
    expect(await file.sync()).toMatchObject(WELL);
    await expectAllOf(file);
  });
});

async function alertsTo({ here }: ShortFile, url: string): Promise<void> {
  const path = here.path('donor-sync.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(path, `alerts: { webhook: { url: "${url}" } }\n${text}`);
}

async function checkAlerts({ here }: ShortFile) {
  const { alerts } = await here.runJson(
    ['alerts', 'check'],
    z.object({ alerts: z.array(z.object({ subject: z.string() })) }),
  );
  return alerts;
}
