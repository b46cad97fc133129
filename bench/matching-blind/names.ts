/**
 * Chooses random first and last names. Common names occur as often as in the United States. Rare names are created from
 * syllables.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWeighted, type Random } from './random.ts';

export type Sex = 'F' | 'M';

const DATA = join(import.meta.dirname, '..', '..', 'people', 'data');

/** Returns the rows of a CSV file without its header. The file has no quoted fields. */
export function readRows(file: string): string[][] {
  const lines = readFileSync(join(DATA, file), 'utf8').trim().split('\n');
  return lines.slice(1).map((line) => line.split(','));
}

const firstNames = readRows('first_names.csv').map(([name = '', sex = '', births = '']) => ({
  value: name,
  sex,
  weight: Number(births),
}));
const drawFirstOf = {
  F: createWeighted(firstNames.filter((name) => name.sex === 'F')),
  M: createWeighted(firstNames.filter((name) => name.sex === 'M')),
} satisfies Record<Sex, (random: Random) => string>;

const drawCommonSurname = createWeighted(
  readRows('surnames.csv').map(([surname = '', count = '']) => ({
    value: surname,
    weight: Number(count),
  })),
);

const FRONTS = [
  'Quill Thorn Abern Fair Hask Penn Wick Lath Brack Strath Cald Tres Dun Raven Kess',
  'Vand Orm Pell Sund Grim Hol Mard Nev Ost Pri Quar Rust Sel Tam Ulv',
  'Var Wend Yar Zel Bex Corv Drax Elm Fenn Gost',
].flatMap((line) => line.split(' '));
const ENDS = [
  'feather athy weather ingham croft mere stead worth combe burn ridge hurst gard inski ovich',
  'quist dahl stein auer etti ello ander maker berg low wright sby thwaite',
].flatMap((line) => line.split(' '));
const rareSurnames = FRONTS.flatMap((front) => ENDS.map((end) => front + end));

/** The share of people whose surname is not one of the 1,000 most common. */
const RARE_SHARE = 0.4;

export function drawFirstName(random: Random, sex: Sex): string {
  return drawFirstOf[sex](random);
}

/** A first name counts for both sexes if at least this share of births with the name was of the rarer sex. */
const BOTH_SEXES = 0.02;

/**
 * Returns true if both women and men can have this first name. "Mrs." may precede a wife's own first name if the name
 * is for both sexes.
 */
export function isOfBothSexes(first: string): boolean {
  const births = firstNames.filter((name) => name.value === first).map((name) => name.weight);
  const all = births.reduce((sum, weight) => sum + weight, 0);
  return births.length > 1 && Math.min(...births) / all > BOTH_SEXES;
}

export function drawRareSurname(random: Random): string {
  return random.pick(rareSurnames);
}

/** Groups of surnames with more than one spelling, and the number of people per 1,000 in each group. */
export const SPECIAL_SURNAMES = {
  umlaut: 'Mueller Schroeder Koehler Huebner Boehm Groenwald Kuehn Fuerst Jaeger Loewe'.split(' '),
  accent: 'Peña Núñez Lefèvre Côté Ibáñez Bélanger Muñoz Gagné Åkesson Dvořák'.split(' '),
  cyrillic: 'Ivanov Petrov Sidorov Morozov Volkov Lebedev Sokolov Romanov Pavlov Orlov'.split(' '),
  particle: 'van der Berg|de la Cruz|von Hagen|de Groot|van Houten|di Marco|du Pont|la Rosa'.split(
    '|',
  ),
  celtic: "O'Brien O'Connor McDonald McCarthy MacLeod O'Neill McKenzie D'Angelo".split(' '),
  double: 'Garcia Lopez|Ramirez Ortiz|Torres Vega|Morales Ruiz|Castro Luna|Reyes Soto'.split('|'),
} as const;

export type SpecialSurname = keyof typeof SPECIAL_SURNAMES;

const SPECIAL_SHARE = 0.02;

/** First names of people with a Cyrillic surname, as the donor list writes them. */
export const CYRILLIC_FIRST = {
  M: ['Ivan', 'Boris', 'Viktor', 'Maksim', 'Pavel', 'Anton'],
  F: ['Anna', 'Irina', 'Marina', 'Vera', 'Nina', 'Larisa'],
} satisfies Record<Sex, string[]>;

/** Chooses a random surname, and returns the surname and its group of spellings. */
export function drawSurname(random: Random): { last: string; special: SpecialSurname | null } {
  for (const special of Object.keys(SPECIAL_SURNAMES) as SpecialSurname[]) {
    if (random.chance(SPECIAL_SHARE)) {
      return { last: random.pick(SPECIAL_SURNAMES[special]), special };
    }
  }
  const last = random.chance(RARE_SHARE) ? drawRareSurname(random) : drawCommonSurname(random);
  return { last, special: null };
}

/** Well-known short forms of first names, written for this benchmark. The matcher has a different list. */
export const SHORT_FORMS: Record<string, string[]> = {
  Robert: ['Bob', 'Rob', 'Bobby'],
  William: ['Bill', 'Will', 'Billy'],
  Richard: ['Dick', 'Rick', 'Rich'],
  James: ['Jim', 'Jimmy'],
  John: ['Jack', 'Johnny'],
  Joseph: ['Joe', 'Joey'],
  Thomas: ['Tom', 'Tommy'],
  Charles: ['Chuck', 'Charlie'],
  Michael: ['Mike', 'Mick'],
  David: ['Dave'],
  Daniel: ['Dan', 'Danny'],
  Edward: ['Ed', 'Ted', 'Eddie'],
  Anthony: ['Tony'],
  Kenneth: ['Ken', 'Kenny'],
  Steven: ['Steve'],
  Stephen: ['Steve'],
  Timothy: ['Tim'],
  Ronald: ['Ron'],
  Donald: ['Don'],
  Gregory: ['Greg'],
  Jeffrey: ['Jeff'],
  Matthew: ['Matt'],
  Andrew: ['Andy', 'Drew'],
  Lawrence: ['Larry'],
  Samuel: ['Sam'],
  Benjamin: ['Ben'],
  Nicholas: ['Nick'],
  Raymond: ['Ray'],
  Elizabeth: ['Liz', 'Betty', 'Beth', 'Betsy'],
  Margaret: ['Peggy', 'Maggie', 'Meg'],
  Katherine: ['Kathy', 'Kate', 'Katie'],
  Catherine: ['Cathy', 'Kate'],
  Patricia: ['Pat', 'Patty', 'Trish'],
  Barbara: ['Barb'],
  Susan: ['Sue', 'Susie'],
  Deborah: ['Debbie', 'Deb'],
  Jennifer: ['Jen', 'Jenny'],
  Jessica: ['Jess'],
  Rebecca: ['Becky'],
  Kimberly: ['Kim'],
  Christine: ['Chris', 'Tina'],
  Dorothy: ['Dot', 'Dottie'],
  Virginia: ['Ginny'],
  Judith: ['Judy'],
  Sandra: ['Sandy'],
  Pamela: ['Pam'],
  Victoria: ['Vicky'],
  Theresa: ['Terry'],
  Cynthia: ['Cindy'],
  Jacqueline: ['Jackie'],
  Frances: ['Fran'],
  Martha: ['Marty'],
  Suzanne: ['Sue'],
  Amanda: ['Mandy'],
};

/** Returns true if one person can have the two first names, because one name is a short form of the other name. */
export function areForms(one: string, other: string): boolean {
  return Object.entries(SHORT_FORMS).some(([name, forms]) => {
    const all = [name, ...forms];
    return all.includes(one) && all.includes(other);
  });
}
