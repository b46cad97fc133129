/** Returns how common names are in the United States. The names of the donors do not affect the result. */

import { z } from 'zod';
import { readDataFile } from '../data-file.ts';
import { isCommonForm } from './nicknames.ts';
import { words } from './words.ts';

/** Returns the share of all people who have a name, with all names in their comparable form. */
export interface Population {
  first(name: string): number;
  last(name: string): number;
  /** Returns true if nearly all people with this name are men. */
  isMansName(name: string): boolean;
  /** Returns true if nearly all people with this name are women. */
  isWomansName(name: string): boolean;
  /** Returns true if the name is a common given name or a short form of a common given name. */
  isGivenName(name: string): boolean;
  /**
   * Returns the number of people born with this name from 1930 to 2010. The number is rounded down to 100, 200, 400 and
   * so on, or to 0.
   */
  births(name: string): number;
  /** Returns the number of people in the list of births. */
  allBirths(): number;
  /** Returns true if many given names start with the letters of the given name. */
  mayStartName(name: string): boolean;
  /** Returns true for the most frequent last names. */
  isLastName(name: string): boolean;
}

/** The number of people in the census from which the last names come. */
const PEOPLE_2010 = 295_000_000;

/**
 * The share for a name that is not in the lists. A name that is not in the lists is rare, but not unique. Some thousand
 * people have the name.
 */
const UNLISTED_SHARE = 2e-5;

const firstNameRow = z.object({
  name: z.string(),
  sex: z.enum(['F', 'M']),
  births_1940_1990: z.coerce.number(),
});

const givenNamesRow = z.object({
  births: z.coerce.number(),
  names: z.string().transform((text) => text.split(' ')),
});

const NEARLY_ALL = 0.95;
const surnameRow = z.object({ surname: z.string(), count_2010: z.coerce.number() });

/** Given names that have become common since 1990, when the list of births ends. */
const LATER = new Set(
  words(`manny zack aaliyah addison aiden alaina alana alayna alexis alina aliyah alyssa amaya amelie anaya angelina aria ariana
    ariel arya asher ashton aubree aubrey aurora autumn ava avery axel ayden bella bentley braden brady braxton brayden
    braylen brielle brody brooklyn brooklynn bryce bryson caden caleb callie cameron carson cayden chase chloe colton
    cooper daisy dakota damian declan diego dominic easton eden elena eliana elijah ella elliana ellie eloise ember
    emerson emery emma esme everett everly ezekiel ezra faith finley finn gavin genesis gianna giovanni grady grayson
    greyson hadley hailey harley harper hayden hazel hudson hunter ian isabella isaiah isla ivy jace jada jaden jade
    jalen jasper jax jaxon jaxson jayce jayden jaylen jayla jaylin jordyn josiah julian kaden kai kamryn karter kayden
    kaylee kayleigh kennedy kingston kinsley kira kylee kylie kyra landon lana layla leilani leo leon levi liam lila
    liliana lincoln logan lola london luca lucas lucia luna lyla mackenzie macy madelyn maddox makayla maliyah malia
    mason mateo maverick maya mckenna melody mia micah mila milo miles mya naomi natalia nevaeh nico nolan nora nova
    oliver olivia omar owen oakley paige paisley parker penelope peyton piper presley quinn raelynn raegan reagan
    reese remi rhys riley river rowan ryder rylan ryker rylee sadie sage santiago savannah sawyer scarlett serenity
    silas skyler sloane sofia stella summer talia teagan theo trinity tristan tucker valentina violet waylon weston
    willow wyatt xander xavier zander zion zoe zoey`),
);

let population: Population | undefined;

/** Reads the lists when they are first used. */
export function readPopulation(): Population {
  population ??= fromFiles();
  return population;
}

function fromFiles(): Population {
  const births = readDataFile('first_names.csv', firstNameRow).map((row) => ({
    name: row.name,
    sex: row.sex,
    count: row.births_1940_1990,
  }));
  const allBirths = births.reduce((sum, { count }) => sum + count, 0);
  const surnames = readDataFile('surnames.csv', surnameRow).map((row) => ({
    name: row.surname,
    count: row.count_2010,
  }));
  const firsts = sharesOf(births, allBirths);
  const [mansNames = NO_NAMES, womansNames = NO_NAMES] = ['M', 'F'].map((one) => {
    const ofOneSex = births.filter(({ sex }) => sex === one);
    const isOfOneSex = ([name, share]: [string, number]) =>
      share > NEARLY_ALL * (firsts.get(name) ?? 0);
    return new Set([...sharesOf(ofOneSex, allBirths)].filter(isOfOneSex).map(([name]) => name));
  });
  const lasts = sharesOf(surnames, PEOPLE_2010);
  return {
    first: (name) => firsts.get(name) ?? UNLISTED_SHARE,
    last: (name) => lasts.get(name) ?? UNLISTED_SHARE,
    isMansName: (name) => mansNames.has(name),
    isWomansName: (name) => womansNames.has(name),
    isGivenName: (name) => firsts.has(name) || isCommonForm(name) || LATER.has(name),
    births: (name) => readBirths().births.get(name) ?? 0,
    allBirths: () => readBirths().all,
    mayStartName: (name) => {
      const { starts, all } = readBirths();
      return (starts.get(name.slice(0, START)) ?? 0) >= COMMON_START * all;
    },
    isLastName: (name) => lasts.has(name),
  };
}

/**
 * The number of letters at the start of a name that are compared with other names, and the minimum share of people
 * whose names start with these letters.
 */
const START = 3;
const COMMON_START = 1e-4;

interface Births {
  births: ReadonlyMap<string, number>;
  /** The share of people, by the first letters of their names. */
  starts: ReadonlyMap<string, number>;
  all: number;
}

let givenNames: Births | undefined;

/** Reads the births when the matcher first compares two given names. */
function readBirths(): Births {
  givenNames ??= toBirths(
    readDataFile('given_names.csv', givenNamesRow).flatMap((row) =>
      row.names.map((name): [string, number] => [name, row.births]),
    ),
  );
  return givenNames;
}

function toBirths(names: readonly [string, number][]): Births {
  const starts = new Map<string, number>();
  let all = 0;
  for (const [name, births] of names) {
    const start = name.slice(0, START);
    starts.set(start, (starts.get(start) ?? 0) + births);
    all += births;
  }
  return { births: new Map(names), starts, all };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Returns the shares of first names. If both sexes use a name, it is included in both shares. */
function sharesOf(rows: readonly { name: string; count: number }[], all: number) {
  const shares = new Map<string, number>();
  for (const { name, count } of rows) {
    const key = words(name).join('');
    shares.set(key, (shares.get(key) ?? 0) + count / all);
  }
  return shares;
}
