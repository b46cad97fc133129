import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardName } from '../../src/mapping/name-guard.ts';

/** Compares two names. They are written as `first | middle | last` and `first | last`. */
function guard(profile: string, contact: string): string {
  const [first = '', middle = '', last = ''] = profile.split('|');
  const [firstName = '', lastName = ''] = contact.split('|');
  const result = guardName({ first, middle: middle.trim() || null, last }, { firstName, lastName });
  return result.match ? 'match' : result.reason;
}

describe('guardName', () => {
  it.each([
    // Differences in case, accents, punctuation and white space.
    ['John||Smith', 'JOHN|smith'],
    ['José||García', 'Jose|Garcia'],
    ['Jürgen||Müller', 'Jurgen|Mueller'],
    ['Søren||Ørsted', 'Soren|Orsted'],
    ["Mary||O'Brien", 'Mary|O’Brien'],
    ['Mary||OBrien', "Mary|O'Brien"],
    ['Mary||O Brien', 'Mary|OBrien'],
    [' John ||Smith ', 'John|  Smith'],
    ['李||王', '李|王'],
    // Suffixes and titles.
    ['John||Smith, Jr.', 'John|Smith'],
    ['John||Smith', 'John|Smith III'],
    ['John||Smith Jr', 'John|Smith II'],
    ['John||Smith', 'Dr. John|Smith, MD'],
    ['John||Smith', 'John Jr.|Smith'],
    // Particles and prefixes.
    ['Juan||de la Cruz', 'Juan|Cruz'],
    ['Juan||De La Cruz', 'Juan|Delacruz'],
    ['Kees||van der Berg', 'Kees|Vanderberg'],
    ['Hans||von Braun', 'Hans|Braun'],
    ['Ann||McDonald', 'Ann|Mc Donald'],
    ['Ann||St. John', 'Ann|Saint John'],
    // Double last names.
    ['Ann||Smith-Jones', 'Ann|Smith'],
    ['Ann||Smith', 'Ann|Jones Smith'],
    ['Ann||Smith-Jones', 'Ann|Jones-Smith'],
    ['Ana||García López', 'Ana|García'],
    ['Ann||Smith-Jones', 'Ann|Smith Jones'],
    ['Ann||Jones', 'Ann|Jones (Smith)'],
    // One typing error in a long word.
    ['John||Smith', 'John|Smyth'],
    ['John||Anderson', 'John|Andersen'],
    ['John||Gonzalez', 'John|Gonzales'],
    ['Robert||Miller', 'Robret|Miller'],
    ['Elizabeth||Miller', 'Elizbeth|Miller'],
    // Each nickname matches its full name in either order. Two nicknames of one name also match each other.
    ['Robert||Smith', 'Bob|Smith'],
    ['Bob||Smith', 'Robert|Smith'],
    ['Elizabeth||Smith', 'Liz|Smith'],
    ['Margaret||Smith', 'Peggy|Smith'],
    ['William||Smith', 'Bill|Smith'],
    ['Liz||Smith', 'Beth|Smith'],
    ['Katherine||Smith', 'Catherine|Smith'],
    ['Steven||Smith', 'Stephen|Smith'],
    ['Francisco||Ruiz', 'Paco|Ruiz'],
    ['Guadalupe||Ruiz', 'Lupita|Ruiz'],
    ['John||Smith', 'Jack|Smith'],
    ['Robert||Smith', 'Robert (Bob)|Smith'],
    ['Bill||Smith', 'William "Bill"|Smith'],
    ['Daniel||Kim', 'Hyun-Woo (Daniel)|Kim'],
    // Initials and middle names.
    ['John||Smith', 'J.|Smith'],
    ['J.||Smith', 'John|Smith'],
    ['R.|Scott|Miller', 'Scott|Miller'],
    ['Robert|Scott|Miller', 'R. Scott|Miller'],
    ['Robert|Scott|Miller', 'Scott|Miller'],
    ['Scott||Miller', 'R. Scott|Miller'],
    ['Charles|Weston|Houck', 'C[harles] Weston|Houck'],
    ['John|Robert|Smith', 'John R.|Smith'],
    ['John||Smith', 'John Q|Smith'],
    ['James|Robert|Ewing', 'J.R.|Ewing'],
    ['J.|R.|Ewing', 'JR|Ewing'],
    ['|Scott|Miller', 'Scott|Miller'],
    // First names that consist of two words.
    ['Mary Ann||Lee', 'Mary|Lee'],
    ['Mary|Ann|Lee', 'Mary Ann|Lee'],
    ['Maryann||Lee', 'Mary Ann|Lee'],
    ['Mary Ann|K|Lee', 'Maryann|Lee'],
    ['Jo Ann||Lee', 'Joanne|Lee'],
    ['Jean-Pierre||Roy', 'Jean Pierre|Roy'],
    // First and last name swapped.
    ['John||Smith', 'Smith|John'],
  ])('takes %s for %s', (profile, contact) => {
    expect(guard(profile, contact)).toBe('match');
  });

  it.each([
    ['John||Smith', 'John|Jones'],
    ['John||Smith-Jones', 'John|Smith-Brown'],
    ['John||Lee', 'John|Lea'],
    ['John||Johnson', 'John|Johnston'],
    ['John||Morris', 'John|Norris'],
    ['John||Davis', 'John|David'],
    ['John||Donald', 'John|McDonald'],
    ['Ann||John', 'Ann|St. John'],
    ['John||Smith Sr.', 'John|Smith Jr.'],
    ['John||Smith III', 'John|Smith II'],
    ['Mary|Smith|Jones', 'Mary|Smith'],
    ['James||Thomas', 'Thomas|James'],
    ['John||Smith', 'John|'],
    ['李||王', '李|张'],
  ])('holds %s for %s, whose last name differs', (profile, contact) => {
    expect(guard(profile, contact)).toBe('last_name_differs');
  });

  it.each([
    ['John||Smith', 'James|Smith'],
    ['Mary||Smith', 'Maria|Smith'],
    ['Maria||Smith', 'Marie|Smith'],
    ['Jean||Smith', 'Jane|Smith'],
    ['Joan||Smith', 'Jean|Smith'],
    ['Daniel||Smith', 'Daniela|Smith'],
    ['Christian||Smith', 'Christina|Smith'],
    ['Robert||Smith', 'Roberta|Smith'],
    ['Francis||Smith', 'Frances|Smith'],
    ['Martin||Smith', 'Marvin|Smith'],
    ['Ronald||Smith', 'Donald|Smith'],
    ['Patrick||Smith', 'Patricia|Smith'],
    ['Alan||Smith', 'Albert|Smith'],
    ['José||Smith', 'Joseph|Smith'],
    ['Jhon||Smith', 'Joan|Smith'],
    ['Mary|Ann|Smith', 'Mary Beth|Smith'],
    ['John|B|Smith', 'John A.|Smith'],
    ['James|William|Smith', 'J. Robert|Smith'],
    ['Robert|John|Smith', 'J.|Smith'],
    ['K.||Smith', 'John|Smith'],
    ['John||Smith', '|Smith'],
    ['John||Smith', 'Sam & Mary|Smith'],
    ['李||王', '明|王'],
    ['राम||सिंह', 'रमा|सिंह'],
  ])('holds %s for %s, whose first name is unrelated', (profile, contact) => {
    expect(guard(profile, contact)).toBe('first_name_unrelated');
  });

  it.each([
    ['John||', 'John|Smith'],
    ['||Smith', 'John|Smith'],
    ['?|.|-', 'John|Smith'],
  ])('holds the nameless profile %s', (profile, contact) => {
    expect(guard(profile, contact)).toBe('profile_name_missing');
  });

  it('takes everybody for themselves, however the name is written', () => {
    fc.assert(
      fc.property(fc.array(aWord(), { minLength: 1, maxLength: 2 }), aWord(), (given, last) => {
        const profile = { first: given.join(' '), middle: null, last };
        const written = { firstName: given.join('-').toUpperCase(), lastName: ` ${last}, Jr. ` };
        expect(guardName(profile, written)).toEqual({ match: true });
      }),
    );
  });

  it('decides the same whichever of the two names is the profile', () => {
    const given = fc.oneof(fc.constantFrom(...GIVEN), fc.string());
    const last = fc.oneof(fc.constantFrom(...LAST), fc.string());
    fc.assert(
      fc.property(given, last, given, last, (first, last, firstName, lastName) => {
        const there = guardName({ first, middle: null, last }, { firstName, lastName });
        const back = guardName(
          { first: firstName, middle: null, last: lastName },
          { firstName: first, lastName: last },
        );
        expect(back.match).toBe(there.match);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never takes a name for one of other words', () => {
    fc.assert(
      fc.property(aWord(), aWord(), aWord(), (first, last, other) => {
        fc.pre(Math.abs(last.length - other.length) > 1);
        const result = guardName(
          { first, middle: null, last },
          { firstName: first, lastName: other },
        );
        expect(result).toEqual({ match: false, reason: 'last_name_differs' });
      }),
    );
  });
});

const GIVEN = [
  'Bob',
  'Robert',
  'J.',
  'J. R.',
  'Mary Ann',
  'Maryann',
  'Liz (Beth)',
  'Thomas',
  'James',
];
const LAST = [
  'Smith',
  'Smyth',
  'Smith-Jones',
  'Smith Jr.',
  'Thomas',
  'James',
  'van Smith',
  'St. Smith',
];

/**
 * Generates an invented name of at least seven letters. Titles, suffixes and particles are shorter, so the name
 * cannot be mistaken for them.
 */
function aWord() {
  return fc.stringMatching(/^[b-df-hj-np-tv-xz][a-z]{6,12}$/).filter((word) => word !== 'reverend');
}
