import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readPublicRecord } from '../../../people/public-record.ts';
import { createWorld } from '../../../people/world.ts';
import { type FoundConnection, openConnectionEngine } from '../../../service/connections/engine.ts';
import { openDatabase } from '../../../service/database.ts';
import { ask, personOf, startPartner, submitOne } from '../partner.ts';

const RECORD = 'people/data/public-record';
const world = createWorld({ seed: 1, donors: 0, realPeople: readPublicRecord(RECORD) });
const db = openDatabase(undefined);
const engine = openConnectionEngine(db, world);
const NUMBERS = Map.groupBy(Array.from({ length: world.donorCount }).keys(), (number) => {
  const { first, last } = world.donor(number).name;
  return `${first} ${last}`;
});

afterAll(() => {
  db.close();
});

describe('connections of real people', () => {
  it('join two justices of the same years strongly', () => {
    const connection = between('Ruth Ginsburg', 'Antonin Scalia');
    expect(connection).toMatchObject({
      entityName: 'Supreme Court of the U.S.',
      entityType: 'company',
      sourceRelationship: 'served_in',
      targetRelationship: 'served_in',
    });
    expect(connection?.snippet).toMatch(/^Both served in Supreme Court of the U\.S\., 1993–2016/);
    expect(connection?.strength).toBeGreaterThan(0.9);
  });

  it('join two judges of one district court', () => {
    const connection = between('Luther Youngdahl', 'John Sirica');
    expect(connection?.entityName).toBe('U.S. District Court for the District of Columbia');
    expect(connection?.snippet).toContain('1957–1978');
  });

  it('do not join a justice and one who had left half a year before', () => {
    expect(between('Ruth Ginsburg', 'Thurgood Marshall')?.entityName).not.toBe(
      'Supreme Court of the U.S.',
    );
  });

  it('make a committee a nonprofit that both are members of', () => {
    expect(between('Donna Shalala', 'Susan Wild')).toMatchObject({
      entityType: 'nonprofit',
      sourceRelationship: 'sits_on_board_of',
      snippet:
        'Both members of U.S. House Committee on Education and Workforce, 2019–2021; also U.S. House of Representatives',
    });
  });

  it('are next to nothing between soldiers of one war, who are few only on record', () => {
    const soldiers = connectionsThrough('U.S. Army');
    expect(soldiers.length).toBeGreaterThan(100);
    for (const { strength } of soldiers) expect(strength).toBeLessThan(0.01);
  });
});

describe('the service with real people alone', () => {
  it('finds them by name and employer, knows nothing of their wealth, and no age of the dead', async () => {
    const partner = await startPartner({ donors: 0, data: RECORD });
    const donor = world.donor(numberOf('Ruth Ginsburg'));
    const id = await submitOne(partner, personOf(donor));
    const { body } = await ask(partner, 'POST', '/enhancements/results/batch', { job_ids: [id] });
    expect(resultIn(body, id)).toMatchObject({
      id: donor.id,
      name: { first: 'Ruth', middle: 'Bader', last: 'Ginsburg' },
      age: null,
      is_deceased: true,
      net_worth_range: null,
      political_stats: { capacity: null },
      nonprofit_stats: { capacity: null },
      bio: ['Associate Justice, Supreme Court of the United States.'],
    });
  });
});

function between(one: string, other: string): FoundConnection | null {
  return engine.between(numberOf(one), numberOf(other));
}

/** Returns some connections for which the given organisation is the strongest link. */
function connectionsThrough(organisation: string): FoundConnection[] {
  return Array.from({ length: 40 }, (_, index) => index * 90)
    .flatMap((donor) => engine.find(donor, { minStrength: 0 }))
    .filter(
      ({ entityName, snippet }) => entityName === organisation && !snippet.includes('; also'),
    );
}

function numberOf(name: string): number {
  const [number, ...others] = NUMBERS.get(name) ?? [];
  if (number === undefined || others.length > 0) throw new Error(`Who is ${name}?`);
  return number;
}

function resultIn(body: unknown, jobId: string): unknown {
  const states = z.record(z.string(), z.object({ result: z.unknown() }));
  return z.object({ job_id_to_state: states }).parse(body).job_id_to_state[jobId]?.result;
}
