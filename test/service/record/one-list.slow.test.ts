import { describe, expect, it } from 'vitest';
import { createWorld } from '../../../people/world.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher } from '../../../service/matcher/matcher.ts';
import { openReviews } from '../../../service/record/reviews.ts';
import { openRecordedWorld } from '../../../service/record/world.ts';
import { openImporting } from './importing.ts';
import { aFamily, listOf, type Row } from './list-of-families.ts';

describe('a long list with an id for each of its people', () => {
  it('of 10,000 different people makes 10,000 donors', async () => {
    const importing = openImporting();
    const world = createWorld({ seed: 1, donors: 10_000 });
    const rows = Array.from({ length: world.donorCount }, (_, number): Row => {
      const { name, birthYear, addresses } = world.donor(number);
      const [home] = addresses;
      const person = [name.first, name.middle ?? '', name.last, '', birthYear ?? ''].join(',');
      const place = [home?.street, home?.city, home?.state, home?.postalCode].join(',');
      return [`D${number}`, `${person},${place}`];
    });
    const report = await importing.import({
      ...{ kind: 'csv', paths: [importing.file('donors.csv', listOf(rows))] },
    });
    expect(report).toMatchObject({ people: 10_000, added: 10_000 });
  });

  it('of 700 families makes 4,200 donors; 500 who are in it twice are reviewed, and tie with nobody', async () => {
    const importing = openImporting();
    const families = Array.from({ length: 700 }, (_, number) => aFamily(number)).flat();
    const twice = families
      .filter(([id]) => id.endsWith('-0'))
      .slice(0, 500)
      .map(([id, person]): Row => [`${id}-again`, person]);
    const paths = [importing.file('families.csv', listOf(families))];
    expect(await importing.import({ kind: 'csv', paths })).toMatchObject({
      ...{ added: 4_200, toReview: 0 },
    });
    const again = [importing.file('again.csv', listOf(twice))];
    const stopped = await importing.import({ kind: 'csv', paths: again }).catch(String);
    expect(stopped).toContain('500 of 500 rows agree in full with someone of the same list');
    const others = { sameUnderOtherIds: 'other people' } as const;
    expect(await importing.import({ kind: 'csv', paths: again, ...others })).toMatchObject({
      ...{ added: 500, toReview: 500 },
    });
    expect(openReviews(importing.db).list()).toHaveLength(500);

    const matcher = createMatcher(openDonorIndex(importing.db, openRecordedWorld(importing.db)));
    const people = importing.people();
    for (const [index, [, person]] of twice.entries()) {
      const [first = '', middle = '', last = '', , , ...home] = person.split(',');
      const sought = {
        first: `${first} ${middle}`,
        last,
        addresses: [home.join(', ')],
        employers: [],
      };
      const match = matcher.match(sought);
      expect(match.donorNumber).toBe(index * 6);
      expect(match.reasons.join()).toContain('Another donor agrees with this one in all parts');
      expect(match.runnerUp?.donorNumber).toBe(4_200 + index);
    }
    expect(people).toHaveLength(4_700);
  });
});
