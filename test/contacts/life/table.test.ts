import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { after, move } from '../../../src/contacts/life/apply-events.ts';
import type { ContactRow } from '../../../src/contacts/life/changes.ts';
import {
  type EventRow,
  LIFE_STATES,
  type LifeState,
  STATES,
} from '../../../src/contacts/life/event.ts';
import { LIFE, type LifeEvent } from '../../../src/contacts/life/life.ts';
import { OUTCOME_REASONS, type OutcomeReason } from '../../../src/core/outcome.ts';
import { NEXT_READING } from '../../../src/identity/identity-text.ts';
import { RUN, START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase, describeOn } from '../../helpers/test-databases.ts';
import { contactOf, contactRow, putContacts } from '../contact-stages.ts';

const ROOT = join(import.meta.dirname, '../../..');

const EVENTS = Object.keys(LIFE).filter((name): name is LifeEvent => name in LIFE);

function rowOf(event: LifeEvent): EventRow {
  return LIFE[event];
}

/** Returns an empty list if donor-sync refuses the event in that state. */
function leadsTo(event: LifeEvent, place: LifeState): LifeState[] {
  return rowOf(event).ways.flatMap(({ from, to }) => (from.includes(place) ? [to ?? place] : []));
}

describeOn('sqlite', 'the life of a contact', () => {
  it('allows or refuses each event in each state, and says why it refuses', () => {
    for (const event of EVENTS) {
      const { otherwise } = rowOf(event);
      expect(LIFE_STATES.flatMap((place) => leadsTo(event, place))).not.toEqual([]);
      expect(otherwise).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('has a way from each state to rest', () => {
    for (const place of LIFE_STATES) expect(reachable(place)).toContain('settled');
  });

  it('lets only an answer move a contact out of submitted', () => {
    const leaving = EVENTS.filter((event) =>
      leadsTo(event, 'submitted').some((to) => to !== 'submitted'),
    );
    expect(leaving.sort()).toEqual([
      'gaveJobAway',
      'jobDone',
      'jobFailed',
      'jobVanished',
      'lost',
      'lostDueAgain',
      'notCharged',
      'refused',
    ]);
  });

  it('gives up a job only by events that end it', () => {
    fc.assert(
      fc.property(anEvent, aRow, aGiven, (event, row, given) => {
        const paid = { ...row, tracking_id: 'tracking-1' };
        const next = after(event, paid, given, { id: RUN, now: START_MS });
        if (next === null || rowOf(event).endsJob || isNewJob(event)) return;
        expect(next.tracking_id).toBe('tracking-1');
      }),
    );
  });

  it('is in one place: nothing else sets a column of a contact', () => {
    const folder = join(ROOT, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const setting = files.filter((name) =>
      /updateTable\('contacts'\)|update contacts\b/.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(setting).toEqual([join('contacts', 'life', 'apply-events.ts')]);
  });

  it('is drawn in ARCHITECTURE.md as it is', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const drawn = /```mermaid\n(stateDiagram-v2\n[\s\S]*?)```/.exec(text)?.[1];
    expect(drawn).toBe(drawing());
  });
});

describeEachDatabase('a contact that is moved in the database', (open) => {
  const createWorld = storeWorlds(open);

  it('stands as the table says of its row, whatever happens to it', async () => {
    const world = await createWorld();
    const run = { id: RUN, now: START_MS };
    await fc.assert(
      fc.asyncProperty(anEvent, aRow, aGiven, async (event, row, comes) => {
        const given = event === 'seen' ? comes : { ...comes, asked_identity: comes.identity };
        await world.db.deleteFrom('contacts').execute();
        await putContacts(world, [row, { ...row, crm_id: 'c-2', tracking_id: 'another' }]);
        const target = { crm_id: row.crm_id, ...given };
        const moved = await world.db
          .transaction()
          .execute((trx) => move(trx, world.lease, event, [target], run));
        const expected = after(event, row, given, run);
        expect(moved).toBe(expected === null ? 0 : 1);
        expect(await contactOf(world, row.crm_id)).toEqual(expected ?? row);
        expect(await contactOf(world, 'c-2')).toMatchObject({ tracking_id: 'another' });
      }),
      { numRuns: 400 },
    );
  });

  it('takes what comes for all of them like what comes for each', async () => {
    const world = await createWorld();
    const run = { id: RUN, now: START_MS };
    const row = contactRow({ crm_id: 'c-1', state: 'due', due_reason: 'profile_old' });
    await putContacts(world, [row]);
    const given = { outcome_reason: 'opted_out' as const };
    await world.db
      .transaction()
      .execute((trx) => move(trx, world.lease, 'turnedOutIneligible', ['c-1'], run, given));
    expect(await contactOf(world, 'c-1')).toEqual(after('turnedOutIneligible', row, given, run));
  });

  it('is refused when something that has to come with the event is missing', async () => {
    const world = await createWorld();
    const moved = world.db
      .transaction()
      .execute((trx) => move(trx, world.lease, 'left', ['c-1'], { id: RUN, now: START_MS }));
    await expect(moved).rejects.toThrow('the event brings no outcome_reason');
  });
});

const anEvent = fc.constantFrom(...EVENTS);
const anInstant = fc.constantFrom(0, 1, START_MS - 1, START_MS);
const aReason = fc.constantFrom(
  ...Object.keys(OUTCOME_REASONS).filter((word): word is OutcomeReason => word in OUTCOME_REASONS),
);
const aText = fc.constantFrom('one', 'another', NEXT_READING);
const aTracking = fc.constantFrom('tracking-1', 'tracking-2');

const aCredit = fc.constantFrom('stands' as const, 'outdated' as const, 'in_vain' as const);

const aRow: fc.Arbitrary<ContactRow> = fc
  .record({
    state: fc.constantFrom(...STATES),
    identity: aText,
    eligible: fc.constantFrom(0, 1),
    due_reason: fc.constantFrom('identity_changed' as const, 'profile_old' as const, null),
    priority: fc.constantFrom(0, 1, 2, 9),
    asked_identity: fc.option(aText),
    asked_at: fc.option(anInstant),
    last_credit: fc.option(aCredit),
    tracking_id: fc.option(aTracking),
    donor_id: fc.option(aText),
    enhanced_at: fc.option(anInstant),
    values_donor: fc.option(aText),
    values_identity: fc.option(aText),
    outcome_reason: aReason,
    outcome_run: fc.constantFrom(RUN, 'run-0', null),
    outcome_detail: fc.option(aText),
    missing_since: fc.option(anInstant),
  })
  .map((row) => contactRow({ crm_id: 'c-1', ...row }));

const aGiven = fc.record({
  identity: aText,
  asked_identity: fc.option(aText),
  asked_at: anInstant,
  last_credit: fc.option(aCredit),
  due_reason: fc.constantFrom('never_enhanced' as const, 'job_vanished' as const),
  priority: fc.constantFrom(1, 2, 9),
  tracking_id: aTracking,
  donor_id: aText,
  enhanced_at: fc.option(anInstant),
  owned_values: fc.constantFrom('{}', '{"a":"b"}'),
  values_identity: fc.option(aText),
  values_donor: fc.option(aText),
  outcome_reason: aReason,
  outcome_detail: fc.option(aText),
  merged_into: fc.option(aText),
  has_opted_out: fc.constantFrom(0, 1),
  missing_since: fc.option(anInstant),
});

/** Returns true for events that give a job to contacts that have none. */
function isNewJob(event: LifeEvent): boolean {
  return event === 'submitted' || /^(shared|inherited|gotFitting)/.test(event);
}

function reachable(start: LifeState): Set<LifeState> {
  const found = new Set([start]);
  for (const place of found) {
    for (const event of EVENTS) for (const to of leadsTo(event, place)) found.add(to);
  }
  return found;
}

/** Draws the transitions between states. Omits events that do not change the state. */
function drawing(): string {
  const events = new Map<string, string[]>();
  for (const from of LIFE_STATES) {
    for (const event of EVENTS) {
      for (const to of leadsTo(event, from)) {
        if (to === from) continue;
        const arrow = `${from === 'unknown' ? '[*]' : from} --> ${to}`;
        events.set(arrow, [...(events.get(arrow) ?? []), inWords(event)]);
      }
    }
  }
  const lines = [...events].map(([arrow, names]) => `  ${arrow}: ${names.join(', ')}\n`);
  return `stateDiagram-v2\n${lines.join('')}`;
}

function inWords(event: string): string {
  return event.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
