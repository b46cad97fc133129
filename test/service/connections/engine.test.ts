import { describe, expect, it } from 'vitest';
import { readPublicRecord } from '../../../people/public-record.ts';
import { createWorld } from '../../../people/world.ts';
import type { Donor, Role, World } from '../../../service/donor.ts';
import { aWorldOf } from '../hand-made-world.ts';
import { bruteForce } from './brute-force.ts';
import { aDonor, aGift, aRole } from './donors.ts';
import { openEngine } from './open-engine.ts';

const RECORD = 'people/data/public-record';
const FLOOR = 0.45;
/**
 * The allowed rounding difference. The order in which a program adds small numbers changes the last digit of the sum.
 */
const ROUNDING = 3e-6;

describe('the connection engine against brute force', () => {
  for (const [name, world] of smallWorlds()) {
    it(`finds every connection of strength 0.45 and no other, in ${name}`, () => {
      const engine = openEngine(world);
      const strengthOf = bruteForce(world);
      const wrong: object[] = [];
      let found = 0;
      for (let donor = 0; donor < world.donorCount; donor++) {
        const connections = engine.find(donor, { minStrength: FLOOR });
        const given = new Map(connections.map((one) => [one.donor, one.strength]));
        found += given.size;
        for (let other = 0; other < world.donorCount; other++) {
          if (other === donor) continue;
          const wanted = strengthOf(donor, other);
          const strength = given.get(other);
          const isRight =
            strength === undefined
              ? wanted < FLOOR + ROUNDING
              : Math.abs(strength - wanted) < ROUNDING;
          if (!isRight) wrong.push({ donor, other, wanted, strength });
        }
      }
      expect(wrong).toEqual([]);
      expect(found).toBeGreaterThan(100);
    });

    it(`finds all connections, however weak, in ${name}`, () => {
      const engine = openEngine(world);
      const strengthOf = bruteForce(world);
      const wrong: object[] = [];
      for (let donor = 0; donor < world.donorCount; donor += 29) {
        const connections = engine.find(donor, { minStrength: 0 });
        const given = new Map(connections.map((one) => [one.donor, one.strength]));
        for (let other = 0; other < world.donorCount; other++) {
          const wanted = other === donor ? 0 : strengthOf(donor, other);
          const strength = given.get(other) ?? 0;
          if (Math.abs(strength - wanted) > ROUNDING)
            wrong.push({ donor, other, wanted, strength });
        }
      }
      expect(wrong).toEqual([]);
    });

    it(`cuts the whole list where the limit is, in ${name}`, () => {
      const engine = openEngine(world);
      for (let donor = 0; donor < world.donorCount; donor += 17) {
        const all = engine.find(donor, { minStrength: 0 });
        expect(all).toEqual(all.toSorted((a, b) => b.strength - a.strength || a.donor - b.donor));
        for (const limit of [1, 7, 60]) {
          expect(engine.find(donor, { minStrength: 0, limit })).toEqual(all.slice(0, limit));
        }
      }
    });
  }

  it('finds two people who are connected by all of their huge employers together, and by none alone', () => {
    const jobs = [1980, 1990, 2000, 2010].map((year) =>
      aRole(`Hub ${year}`, `${year}-01-01`, `${year + 10}-01-01`),
    );
    const crowd = Array.from({ length: 400 }, () => aDonor({}));
    const crowds = jobs.flatMap((job) => crowd.map((donor) => ({ ...donor, work: [job] })));
    const between = (work: Role[]) => {
      const world = aWorldOf([aDonor({ work }), aDonor({ work }), ...crowds]);
      return openEngine(world).find(0, { minStrength: FLOOR });
    };
    expect(between(jobs).map(({ donor }) => donor)).toContain(1);
    for (const job of jobs) expect(between([job])).toEqual([]);
  });
});

describe('find and between', () => {
  it('tell the same from both sides', () => {
    const world = withHubs(createWorld({ seed: 8, donors: 300 }));
    const engine = openEngine(world);
    let compared = 0;
    for (let donor = 0; donor < world.donorCount; donor += 7) {
      for (const there of engine.find(donor, { minStrength: 0, limit: 40 })) {
        const back = engine.between(there.donor, donor);
        expect(back).toEqual({
          ...there,
          donor,
          sourceRelationship: there.targetRelationship,
          targetRelationship: there.sourceRelationship,
        });
        expect(engine.between(donor, there.donor)).toEqual(there);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(500);
  });

  it('say how each of the two relates to the organisation', () => {
    const engine = openEngine(
      aWorldOf([
        aDonor({ work: [aRole('Mill', '2010-01-01', null)] }),
        aDonor({ work: [aRole('Mill', '2012-01-01', '2018-06-01')] }),
      ]),
    );
    expect(engine.between(0, 1)).toMatchObject({
      donor: 1,
      entityName: 'Mill',
      entityType: 'company',
      sourceRelationship: 'works_for',
      targetRelationship: 'worked_for',
      snippet: 'Both worked at Mill, 2012–2018',
    });
    expect(engine.between(1, 0)).toMatchObject({
      sourceRelationship: 'worked_for',
      targetRelationship: 'works_for',
      snippet: 'Both worked at Mill, 2012–2018',
    });
  });

  it('tell the organisation that joins most, and name the others', () => {
    const both = {
      boards: [aRole('Food Bank', '2012-03-01', null)],
      education: [aRole('Hill College', '1990-09-01', '1994-05-01')],
      gifts: [aGift('Opera', '2015-02-01')],
    };
    const engine = openEngine(aWorldOf([aDonor(both), aDonor(both)]));
    expect(engine.between(0, 1)).toMatchObject({
      entityName: 'Food Bank',
      entityType: 'nonprofit',
      sourceRelationship: 'sits_on_board_of',
      snippet: 'Both on the board of Food Bank since 2012; also Hill College, Opera',
    });
  });

  it('join a board member and a donor of one nonprofit, less than two of its board', () => {
    const onBoard = aDonor({ boards: [aRole('Food Bank', '2016-01-01', '2020-01-01')] });
    const gifts = ['2016-06-01', '2017-05-01', '2018-04-01'].map((day) => aGift('Food Bank', day));
    const engine = openEngine(aWorldOf([onBoard, aDonor({ gifts }), onBoard]));
    const across = engine.between(0, 1);
    expect(across).toMatchObject({
      sourceRelationship: 'sits_on_board_of',
      targetRelationship: 'donates_to',
      entityType: 'nonprofit',
      snippet: 'Board member and donor of Food Bank, 2016–2019',
    });
    expect(engine.between(0, 2)?.strength).toBeGreaterThan(across?.strength ?? 1);
  });

  it('count two posts held at the same time in one organisation once', () => {
    const post = aRole('Mill', '2010-01-01', '2014-01-01');
    const plain = aDonor({ work: [post] });
    const twice = aDonor({ work: [post, { ...post, title: 'Chair' }] });
    const one = openEngine(aWorldOf([plain, plain])).between(0, 1);
    expect(openEngine(aWorldOf([twice, twice])).between(0, 1)).toEqual(one);
  });

  it('give no connection without ties, and none of a donor to the same donor', () => {
    const engine = openEngine(aWorldOf([aDonor({}), aDonor({})]));
    expect(engine.find(0, { minStrength: 0 })).toEqual([]);
    expect(engine.between(0, 1)).toBeNull();
    expect(engine.between(1, 1)).toBeNull();
  });
});

function smallWorlds(): [string, World][] {
  const record = readPublicRecord(RECORD);
  const real = { ...record, donors: record.donors.filter((_, index) => index % 9 === 0) };
  return [
    ['an invented world', createWorld({ seed: 21, donors: 400 })],
    ['a world with two huge employers', withHubs(createWorld({ seed: 22, donors: 300 }))],
    ['another one', withHubs(createWorld({ seed: -7, donors: 250 }))],
    ['a ninth of the real people', createWorld({ seed: 1, donors: 0, realPeople: real })],
  ];
}

/**
 * Returns a changed world in which two of three jobs are at one of two employers, and all people attended one school.
 */
function withHubs(world: World): World {
  function donor(number: number): Donor {
    const donor = world.donor(number);
    const work = donor.work.map((role, index) =>
      index % 3 === 2 ? role : { ...role, ...hub(`Hub ${(number + index) % 2}`) },
    );
    const education = donor.education.map((role) => ({ ...role, ...hub('Hub College') }));
    return { ...donor, work, education };
  }
  return { ...world, donor };
}

function hub(name: string) {
  return { organisationId: name, organisationName: name };
}
