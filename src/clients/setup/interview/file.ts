import { anyText, type Question } from './question.ts';

export const ID_COLUMN = askColumn({
  setting: 'crm.columns.id',
  noun: 'the column with the contact ID',
  ask: "Which column has a contact's ID?",
  label: 'Contact ID',
  hint: 'The ID of a contact never changes, and each contact has a different ID.',
});

/**
 * Asks whether names have one or two columns. If first and last names came from the same column, credits would be spent
 * on people who do not exist.
 */
export const NAME_FORM: Question = {
  setting: 'crm.columns',
  noun: 'how the file contains the names',
  ask: 'Which columns contain the names?',
  label: 'Names are in',
  schema: anyText,
  options: [
    { value: 'two', label: 'two columns: first and last name' },
    {
      value: 'whole',
      label: 'one column with the full name',
      hint: '“Last, First” or “First Last”',
    },
  ],
};

export const FIRST_NAME = askColumn({
  setting: 'crm.columns.firstName',
  noun: 'the column with the first name',
  ask: 'Which column has the first name?',
  label: 'First name',
});

export const LAST_NAME = askColumn({
  setting: 'crm.columns.lastName',
  noun: 'the column with the last name',
  ask: 'Which column has the last name?',
  label: 'Last name',
});

export const FULL_NAME = askColumn({
  setting: 'crm.columns.fullName',
  noun: 'the column with the full name',
  ask: 'Which column has the full name?',
  label: 'Full name, if in one column',
});

/** Asks for the columns of the address. Users can choose any number of columns. */
export const ADDRESS_COLUMNS = askColumn({
  setting: 'crm.columns.addresses',
  noun: 'the columns that form the address',
  ask: 'Which columns form the address?',
  label: 'Address',
  hint: 'All parts of one address, from the street to the country.',
});

/** Asks for the columns of the employers. Users can choose any number of columns. */
export const EMPLOYER_COLUMNS = askColumn({
  setting: 'crm.columns.employers',
  noun: 'the columns with employers',
  ask: 'Which columns have employers?',
  label: 'Employer',
});

export const BAD_ROWS: Question<'stop' | 'skip'> = {
  setting: 'crm.badRows',
  noun: 'what to do with a row that cannot be read',
  ask: 'What should happen if a row cannot be read?',
  label: 'Rows that cannot be read',
  schema: anyText.transform((text) => (text === 'skip' ? 'skip' : 'stop')),
  initial: 'stop',
  options: [
    { value: 'stop', label: 'stops everything' },
    { value: 'skip', label: 'is left out' },
  ],
};

export function sameNameProblem(firstName: string, lastName: string | undefined): string | null {
  return firstName === lastName ? `"${firstName}" is the column of the first name` : null;
}

function askColumn(words: Omit<Question, 'schema' | 'options'>): Question {
  return { ...words, schema: anyText, options: 'columns' };
}
