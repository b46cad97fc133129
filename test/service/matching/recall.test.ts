import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import type { Donor } from '../../../service/donor.ts';
import { blankDonor } from '../../../service/donor.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher, type SoughtPerson } from '../../../service/matcher/matcher.ts';
import { aWorldOf } from '../hand-made-world.ts';

const HOME = { street: '12 Elm Street', city: 'Evanston', state: 'IL', postalCode: '60201' };
const AT_HOME = '12 Elm Street, Evanston, IL 60201';
const LONG_NUMBER = { ...HOME, street: '1243 Elm Street' };
const NEARBY = '907 Lake Avenue, Evanston, IL 60201';
const WORK = 'Halvorsen Energy';

/** Creates a donor with the given name. All donors of this test share a home and an employer. */
function aDonor(first: string, last: string, middle: string | null = null): Donor {
  const role = {
    organisationId: WORK,
    organisationName: WORK,
    title: 'Clerk',
    start: '2001-01-01',
  };
  return {
    ...blankDonor('0'.repeat(32), { first, middle, last }),
    sources: {},
    addresses: [HOME],
    work: [{ ...role, end: null }],
  };
}

function match(donor: Donor, person: Partial<SoughtPerson>) {
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, aWorldOf([donor])));
  const { donorNumber } = matcher.match({
    ...{ first: donor.name.first, last: donor.name.last },
    ...{ addresses: [AT_HOME], employers: [] },
    ...person,
  });
  db.close();
  return donorNumber;
}

describe('a person whose name is written in another way', () => {
  it.each<[string, Donor, Partial<SoughtPerson>]>([
    ['a formal name', aDonor('Robbie', 'Oldenquist'), { first: 'Robert' }],
    ['a rare pet form', aDonor('Kimberly', 'Oldenquist'), { first: 'Kimmy' }],
    ['a variant of a short form', aDonor('Debi', 'Oldenquist'), { first: 'Deb' }],
    ['an older short form', aDonor('Ned', 'Oldenquist'), { first: 'Edward' }],
    ['two marks that a scan took for others', aDonor('Warren', 'Burnham'), { last: 'Bumharn' }],
    ['two typos in a long last name', aDonor('Warren', 'Oldenquist'), { last: 'Oldneqist' }],
    ['two marks in the first name', aDonor('William', 'Oldenquist'), { first: 'Wi11iarn' }],
    ['a nickname in brackets', aDonor('Robert', 'Oldenquist'), { first: 'Robert (Bob)' }],
    ['a mark for important people', aDonor('Robert', 'Oldenquist'), { first: 'Robert *VIP*' }],
    ['in care of', aDonor('Robert', 'Oldenquist', 'James'), { first: 'c/o Robert' }],
    [
      'in care of, before the whole name',
      aDonor('Robert', 'Oldenquist'),
      { first: 'C/O ROBERT OLDENQUIST', last: '' },
    ],
    [
      'in care of, in a field of its own',
      aDonor('Robert', 'Oldenquist'),
      { first: 'C/O', last: 'Robert Oldenquist' },
    ],
    ['initials without a blank', aDonor('Robert', 'Oldenquist', 'W.'), { first: 'R.W.' }],
    ['initials without points', aDonor('Robert', 'Oldenquist', 'William'), { first: 'RW' }],
    ['initials without a blank on file', aDonor('R.W.', 'Oldenquist'), { first: 'R. W.' }],
    ['initials that are also a degree', aDonor('John', 'Oldenquist', 'David'), { first: 'J.D.' }],
    [
      'initials before the last name',
      aDonor('Robert', 'Oldenquist', 'W.'),
      { first: 'R.W.Oldenquist', last: '' },
    ],
    ['a degree behind the first name', aDonor('Robert', 'Oldenquist'), { first: 'Robert M.D.' }],
    ['a Greek name in another transcription', aDonor('Ioannis', 'Oldenquist'), { first: 'Yannis' }],
    ['an Arabic name in another transcription', aDonor('Ahmad', 'Oldenquist'), { first: 'Ahmed' }],
    ['Muhammad', aDonor('Mohammed', 'Oldenquist'), { first: 'Muhammad' }],
    ['Yousuf', aDonor('Yusuf', 'Oldenquist'), { first: 'Yousuf' }],
    [
      'a Russian name in another transcription',
      aDonor('Anatoly', 'Oldenquist'),
      { first: 'Anatolii' },
    ],
    ['a Ukrainian name', aDonor('Sergey', 'Oldenquist'), { first: 'Serhii' }],
    ['a Hebrew name in another transcription', aDonor('Chaim', 'Oldenquist'), { first: 'Haim' }],
    ['an Indian name in another transcription', aDonor('Rajeev', 'Oldenquist'), { first: 'Rajiv' }],
    ['a note behind a dash', aDonor('Robert', 'Oldenquist'), { last: 'Oldenquist - bounced 2021' }],
    [
      'a former last name in brackets',
      aDonor('Marguerite', 'Oldenquist'),
      { last: 'Smith (Oldenquist)' },
    ],
    [
      'née and a last name in brackets',
      aDonor('Marguerite', 'Oldenquist'),
      { last: 'Smith (née Oldenquist)' },
    ],
    ['a rank', aDonor('Larry', 'Oldenquist', 'Joe'), { first: 'Capt. Larry' }],
    ['Saint for St.', aDonor('Carl', 'St. Clair'), { last: 'Saint Clair' }],
    ['St. for Saint', aDonor('Carl', 'Saint Clair'), { last: 'St Clair' }],
    ['a Spanish short form', aDonor('Guadalupe', 'Oldenquist'), { first: 'Lupe' }],
    ['a Spanish short form on file', aDonor('Memo', 'Oldenquist'), { first: 'Guillermo' }],
    ['a short form that many are given', aDonor('Antonio', 'Oldenquist'), { first: 'Tony' }],
    [
      'a first name that others have as a suffix',
      { ...aDonor('Junior', 'Oldenquist'), suffix: 'Sr' },
      { first: 'Junior', last: 'Oldenquist Sr' },
    ],
    ['a first name that is a rank', aDonor('Major', 'Oldenquist'), { first: 'Major' }],
    ['two given names in one', aDonor('Mary', 'Oldenquist', 'Ann'), { first: 'Maryann' }],
    ['a missing letter at the end', aDonor('Veronica', 'Oldenquist'), { first: 'Veronic' }],
    ['a missing letter that few names lack', aDonor('William', 'Oldenquist'), { first: 'Willam' }],
    [
      'a missing letter that makes a rare name, at the same employer',
      aDonor('Lisa', 'Oldenquist'),
      { first: 'Lia', employers: [WORK] },
    ],
    [
      'a short form beside the first name',
      aDonor('Robert', 'Oldenquist', 'James'),
      { first: 'Robert Bob' },
    ],
    ['a couple with a slash', aDonor('Robert', 'Oldenquist', 'James'), { first: 'Robert / Katie' }],
    ['a couple', aDonor('Robert', 'Oldenquist', 'James'), { first: 'Katie & Robert' }],
    ['a title for two', aDonor('Robert', 'Oldenquist'), { first: 'Mr. and Mrs. Robert' }],
    ['ue for ü, twice', aDonor('Jürgen', 'Grünwälder'), { first: 'Juergen', last: 'Gruenwaelder' }],
    ['ü for ue', aDonor('Juergen', 'Gruenwaelder'), { first: 'Jürgen', last: 'Grünwälder' }],
    ['ss for ß', aDonor('Hans', 'Großmann'), { last: 'Grossmann' }],
    [
      'Cyrillic letters',
      aDonor('Sergey', 'Chernyshevsky'),
      { first: 'Сергей', last: 'Чернышевский' },
    ],
    ['Latin letters', aDonor('Дмитрий', 'Щербаков'), { first: 'Dmitry', last: 'Shcherbakov' }],
    [
      'Greek letters',
      aDonor('Giorgos', 'Papadopoulos'),
      { first: 'Γιώργος', last: 'Παπαδόπουλος' },
    ],
    [
      'a married name, with home and employer',
      aDonor('Marguerite', 'Oldenquist'),
      { last: 'Smith', employers: [WORK] },
    ],
    [
      'a house number with two exchanged digits',
      { ...aDonor('Warren', 'Oldenquist'), addresses: [LONG_NUMBER] },
      { addresses: ['1423 Elm Street, Evanston, IL 60201'] },
    ],
    [
      'another house in the ZIP code, with the middle initial',
      aDonor('Warren', 'Oldenquist', 'Theodore'),
      { first: 'Warren T.', addresses: [NEARBY] },
    ],
    [
      'swapped, a nickname, and the employer',
      aDonor('Robert', 'Oldenquist'),
      { first: 'Oldenquist', last: 'Bob', addresses: ['Evanston, IL'], employers: [WORK] },
    ],
  ])('is found: %s', (_, donor, person) => {
    expect(match(donor, person)).toBe(0);
  });

  it.each<[string, Donor, Partial<SoughtPerson>]>([
    [
      'who lives at the home and bears another last name',
      aDonor('Marguerite', 'Oldenquist'),
      { last: 'Smith' },
    ],
    [
      'of another last name with the employer alone',
      aDonor('Marguerite', 'Oldenquist'),
      { last: 'Smith', addresses: [], employers: [WORK] },
    ],
    [
      'of another given name and last name at home and work',
      aDonor('Marguerite', 'Oldenquist'),
      { first: 'Robert', last: 'Smith', employers: [WORK] },
    ],
    [
      'of a common given name that begins like the other',
      aDonor('Marsha', 'Oldenquist'),
      { first: 'Mary' },
    ],
    [
      'of another short form that is short for other names, too',
      aDonor('Steph', 'Oldenquist'),
      { first: 'Steve' },
    ],
    [
      'whose father has the first name as his middle name',
      aDonor('John', 'Oldenquist', 'Paul'),
      { first: 'Paul David' },
    ],
    [
      'whose middle name is the first name of the donor',
      aDonor('Dennis', 'Oldenquist', 'Raymond'),
      { first: 'George Dennis' },
    ],
    [
      'of another middle name than the one that is like the first',
      aDonor('Stephen', 'Oldenquist', 'Stephen'),
      { first: 'Stephen James' },
    ],
    [
      'who is addressed by the name of a man with a suffix',
      { ...aDonor('Kelly', 'Oldenquist'), suffix: 'Jr' },
      { first: 'Mrs. Kelly' },
    ],
    [
      'whose name is the first name with the initial behind it',
      aDonor('Robert', 'Oldenquist', 'A'),
      { first: 'Roberta', employers: [WORK] },
    ],
    [
      'whose first name and initial make the name of the donor',
      aDonor('Roberta', 'Oldenquist'),
      { first: 'Robert A.', employers: [WORK] },
    ],
    [
      'of a rare name that a letter parts from another',
      aDonor('Lisa', 'Oldenquist'),
      { first: 'Lia' },
    ],
    [
      'whose twin bears a name that a list calls a form of hers',
      { ...aDonor('Jean', 'Oldenquist'), birthday: '1951-09-08' },
      { first: 'Jane', born: '1951-09-08' },
    ],
    [
      'whose sister works for the same employer and bears a name that a list calls a form of hers',
      aDonor('Jean', 'Oldenquist'),
      { first: 'Jane', employers: [WORK] },
    ],
    [
      'of another short form of a third name, which both bear as a whole name',
      { ...aDonor('Jerry', 'Oldenquist'), birthday: '1951-09-08' },
      { first: 'Gary', born: '1951-09-08', employers: [WORK] },
    ],
    [
      'whose first name is a rank, and whose middle name is that of the donor',
      aDonor('Michael', 'Oldenquist', 'Lee'),
      { first: 'Dean Michael' },
    ],
    [
      'of another Arabic name that is written in a similar way',
      aDonor('Samir', 'Oldenquist'),
      { first: 'Samer' },
    ],
    ['of another first initial', aDonor('Robert', 'Oldenquist', 'W.'), { first: 'T.W.' }],
    ['of a name that a sister may bear', aDonor('Julie', 'Oldenquist'), { first: 'Julia' }],
    [
      'of another full middle name, and a last name like the first',
      aDonor('Barry', 'Berry', 'Marie'),
      { first: 'Barry Irene' },
    ],
    [
      'of another known given name two letters away',
      aDonor('Marianne', 'Oldenquist'),
      { first: 'Marlene' },
    ],
    [
      'in the next house',
      { ...aDonor('Warren', 'Oldenquist'), addresses: [LONG_NUMBER] },
      { addresses: ['1245 Elm Street, Evanston, IL 60201'] },
    ],
    [
      'in another unit of a house whose number has two exchanged digits',
      {
        ...aDonor('Warren', 'Oldenquist'),
        addresses: [{ ...HOME, street: '1243 Elm Street Apartment 4' }],
      },
      { addresses: ['1423 Elm Street Apt 9, Evanston, IL 60201'] },
    ],
    [
      'in another house in the ZIP code, without a middle name',
      aDonor('Warren', 'Oldenquist', 'Theodore'),
      { addresses: [NEARBY] },
    ],
    [
      'of a similar name in another house in the ZIP code',
      aDonor('Warren', 'Oldenquist', 'Theodore'),
      { first: 'Warren T.', last: 'Oldenquest', addresses: [NEARBY] },
    ],
    [
      'of a common name in another house in the ZIP code',
      aDonor('Robert', 'Miller', 'Theodore'),
      { first: 'Robert T.', addresses: [NEARBY] },
    ],
    [
      'whose son has a suffix and lives in another house in the ZIP code',
      { ...aDonor('Warren', 'Oldenquist', 'Theodore'), suffix: 'Jr' },
      { first: 'Warren T.', addresses: [NEARBY] },
    ],
    ['named only as a widow', aDonor('William', 'Oldenquist'), { first: 'Widow of William' }],
    ['named only as friends', aDonor('William', 'Oldenquist'), { first: 'Friends of William' }],
    [
      'in whose memory a gift was made',
      aDonor('William', 'Oldenquist'),
      { first: '', last: 'In Memory of William Oldenquist' },
    ],
  ])('is not somebody %s', (_, donor, person) => {
    expect(match(donor, person)).toBeNull();
  });
});
