import { describe, expect, it } from 'vitest';
import { contentKind, shapeOfValue } from '../../../src/clients/setup/column-content.ts';
import { listFileColumns } from '../../../src/clients/setup/column-list.ts';
import { guessColumns } from '../../../src/clients/setup/csv-columns.ts';
import { markHints } from '../../../src/clients/setup/mark-fields.ts';

const KINDS: Record<string, readonly string[]> = {
  'e-mail': ['a@b.org', 'c.d@e.de', 'x@y.fr'],
  'yes or no': ['Ja', 'Nein', 'Ja'],
  date: ['2020-03-04', '4.3.2020', '12/31/1999'],
  phone: ['(515) 555-0100', '+49 30 123456', '515-555-0199'],
  street: ['12 Elm Street', 'Hauptstraße 5a', '3, rue de la Paix', 'PO Box 77'],
  'postal code': ['50010', '50011-1234', '50010', '02134'],
  region: ['IA', 'CA', 'New York'],
  country: ['USA', 'Deutschland', 'Francia'],
  organisation: ['Acme Inc.', 'Iowa State University', 'Ada', 'Müller GmbH'],
  'whole name': ['Ada Vale', 'Lopez, Maria', 'Ben van der Hill'],
  number: ['1,200.50', '13', '900000'],
  text: ['Ames', 'Boone', 'Nevada City'],
  blank: ['', ' ', ''],
};

describe('the kind of a column', () => {
  it.each(Object.entries(KINDS))('is seen by its values: %s', (kind, values) => {
    expect(contentKind(values)).toBe(kind);
  });

  it('is no postal code for running ids or for years', () => {
    expect(contentKind(['10001', '10002', '10003', '10004'])).toBe('number');
    expect(contentKind(['1999', '2004', '2020'])).toBe('number');
  });

  it('has a shape that shows no value', () => {
    expect(['Ada Vale', '50010', 'a@b.org', 'Ja'].map(shapeOfValue)).toEqual([
      ...['2 words', '5 digits', 'an e-mail address', 'yes or no'],
    ]);
  });
});

/** Creates a file whose column names do not reveal the contents of the columns. */
function fileOf(columns: Readonly<Record<string, readonly string[]>>) {
  const names = Object.keys(columns);
  const length = Math.max(...Object.values(columns).map((values) => values.length));
  const sample = Array.from(
    { length },
    (_, at) => new Map(names.map((name) => [name, columns[name]?.[at] ?? ''])),
  );
  return { names, sample };
}

it('finds names, address and employer by their values where no name tells them', () => {
  const { names, sample } = fileOf({
    'Ref ID': ['A-1', 'A-2', 'A-3', 'A-4'],
    Person: ['Ada Vale', 'Ben Hill', 'Cem Oz', 'Dora Moss'],
    'Home 1': ['12 Elm Street', '5 Oak Ave', '77 Pine Rd', 'PO Box 9'],
    'Home 2': ['Ames', 'Boone', 'Ames', 'Nevada'],
    'Home 3': ['IA', 'IA', 'CA', 'IA'],
    'Home 4': ['50010', '50036', '90210', '50010'],
    'Works for': ['Acme Inc', 'Boone Hospital', '', 'Elm School'],
    Spouse: ['Eve Vale', '', 'Fay Oz', ''],
    Mail: ['a@b.org', 'b@b.org', 'c@b.org', 'd@b.org'],
  });
  const guess = guessColumns(names, sample);
  expect(guess).toMatchObject({
    ...{ id: 'Ref ID', fullName: 'Person', firstName: null, lastName: null },
    addresses: ['Home 1', 'Home 2', 'Home 3', 'Home 4'],
    employers: ['Works for'],
  });
  expect(listFileColumns({ names, sample }, guess)).toMatchObject([
    { name: 'Ref ID', use: 'id', example: 'A-1' },
    { name: 'Person', use: 'whole name', shape: 'whole name' },
    ...Array.from({ length: 4 }, () => ({ use: 'address' })),
    { use: 'employer' },
    { name: 'Spouse', use: null, example: 'Eve Vale' },
    { name: 'Mail', use: null, shape: 'e-mail' },
  ]);
});

it("tells a spouse's names from the contact's own by their values, where no column has a name that tells", () => {
  const { names, sample } = fileOf({
    Ref: ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'],
    'Field 1': ['Eve Vale', '', 'Fay Oz', 'Gus Moss', ''],
    'Field 2': ['Ada Vale', 'Ben Hill', 'Cem Oz', 'Dora Moss', 'Ira Penn'],
  });
  const guess = guessColumns(names, sample);
  expect(guess).toMatchObject({ fullName: 'Field 2' });
  const shapes = listFileColumns({ names, sample }, guess).map(({ name, shape }) => [name, shape]);
  expect(shapes).toContainEqual(['Field 1', 'name of a relative']);
});

it("does not take other people's names for a spouse's", () => {
  const { names, sample } = fileOf({
    Ref: ['A-1', 'A-2', 'A-3', 'A-4'],
    Given: ['Ada', 'Ben', 'Cem', 'Dora'],
    'Last Name': ['Vale', 'Hill', 'Oz', 'Moss'],
    Solicitor: ['Kim Vale', 'Lou Park', 'Kim Vale', 'Lou Park'],
    Assistant: ['Kim Reed', 'Lou Park', 'Mia Frost', 'Ned Moss'],
  });
  const chosen = { ...guessColumns(names, sample), firstName: 'Given', lastName: 'Last Name' };
  const shapes = listFileColumns({ names, sample }, chosen).map(({ shape }) => shape);
  expect(shapes).not.toContain('name of a relative');
});

it('does not believe a name of a column that its values contradict', () => {
  const { names, sample } = fileOf({
    'Donor ID': ['1', '2', '3'],
    'First Name': ['Ada', 'Ben', 'Cem'],
    'Last Name': ['Vale', 'Hill', 'Oz'],
    Address: ['a@b.org', 'b@b.org', 'c@b.org'],
    'Home Address': ['1 Elm St', '2 Elm St', '3 Elm St'],
    Company: ['', '', ''],
    Employer: ['yes', 'no', 'yes'],
    'Employer Name': ['Acme', 'Bank', ''],
  });
  expect(guessColumns(names, sample)).toMatchObject({
    addresses: ['Home Address'],
    employers: ['Employer Name'],
  });
});

it('takes "Name" beside a first name for the last name, unless it has whole names', () => {
  const rest = fileOf({
    Nr: ['1', '2', '3'],
    Vorname: ['Ada', 'Ben', 'Cem'],
    Name: ['Vale', 'Hill', 'Oz'],
  });
  expect(guessColumns(rest.names, rest.sample)).toMatchObject({
    firstName: 'Vorname',
    lastName: 'Name',
    fullName: null,
  });
  const whole = fileOf({
    Nr: ['1', '2', '3'],
    Vorname: ['Ada', 'Ben', 'Cem'],
    Name: ['Ada Vale', 'Ben Hill', 'Cem Oz'],
  });
  expect(guessColumns(whole.names, whole.sample)).toMatchObject({ fullName: 'Name' });
});

it('says in words which values mark contacts, if no column is chosen for that mark', () => {
  const { names, sample } = fileOf({
    Id: ['1', '2', '3', '4'],
    nomail_reason: ['DECEASED', '', 'DNC', ''],
    Deceased: ['', '', 'Yes', ''],
  });
  const file = { columns: names, sample };
  expect(markHints(file, { optOut: null, deceased: 'Deceased', doNotContact: null })).toEqual([
    expect.stringContaining(
      '"nomail_reason" marks 1 contacts that must not be contacted with "DNC"',
    ),
  ]);
  expect(markHints(file, { optOut: null, deceased: null, doNotContact: 'x' })).toEqual([
    expect.stringContaining('contacts.deceasedValues'),
  ]);
});

it('says which values of a column of consent mark who has opted out, and of no other column', () => {
  const values = ['Consentimiento', 'Retirado', 'Contrato', 'Consentimiento'];
  const { names, sample } = fileOf({ 'Base legal': values, Ocupación: values });
  const none = { optOut: null, deceased: null, doNotContact: null };
  expect(markHints({ columns: names, sample }, none)).toEqual([
    expect.stringMatching(/^"Base legal" marks 1 contacts that have opted out with "Retirado"/),
  ]);
});

it('finds a mark among tags that have many combinations', () => {
  const tags = Array.from({ length: 40 }, (_, at) => `Donor, Tag ${at % 7}, Tag ${at % 6}`);
  const { names, sample } = fileOf({
    Tags: [...tags, 'Deceased', 'Deceased', ''],
    // Each note is different, as it is in a real file.
    Notes: Array.from({ length: 43 }, (_, at) => `Spouse deceased in ${1970 + at}`),
  });
  const none = { optOut: null, deceased: null, doNotContact: null };
  expect(markHints({ columns: names, sample }, none)).toEqual([
    expect.stringContaining('"Tags" marks 2 deceased contacts'),
  ]);
});
