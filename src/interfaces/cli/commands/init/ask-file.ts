/** Asks for the contact file, its columns and the result file. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import { listFileColumns } from '../../../../clients/setup/column-list.ts';
import { type ColumnGuess, guessColumns } from '../../../../clients/setup/csv-columns.ts';
import {
  type CsvHeader,
  type CsvProblem,
  readCsvHeader,
} from '../../../../clients/setup/csv-header.ts';
import { fileNotes } from '../../../../clients/setup/file-notes.ts';
import { idNotes } from '../../../../clients/setup/guess-id.ts';
import { sameNameProblem } from '../../../../clients/setup/interview/file.ts';
import { QUESTIONS } from '../../../../clients/setup/interview/questions.ts';
import {
  findOwnColumns,
  readJournalColumns,
  renamedTexts,
  renameOurs,
} from '../../../../clients/setup/own-columns.ts';
import { unreadableCsv } from '../../../../clients/setup/uploads.ts';
import { usageError } from '../../terminal/output.ts';
import { askText, type Prompter } from '../../terminal/prompts.ts';
import type { CsvAnswers, MarkColumns, NameColumns, Surroundings } from './answers.ts';
import { ask, askColumns } from './ask.ts';
import { FLAGS, type InitFlags } from './flags.ts';

export async function askFile(
  asker: Prompter,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<CsvAnswers> {
  const { cwd } = surroundings;
  const sheet = flags.csvSheet ?? null;
  const { path, header } = await askPath(asker, flags, cwd, sheet);
  const guess = guessColumns(header.columns, header.sample);
  const columns = await askParts(asker, flags, header, guess);
  const marks = await askMarks(asker, flags, header.columns, guess);
  const output = await askOutput(asker, flags, path, header);
  const isSame = resolve(cwd, output) === resolve(cwd, path);
  if (header.foreign !== null && isSame) {
    throw usageError(
      `--csv-output: ${path} is a ${header.foreign}, which is never replaced. Name another file that ends with .csv`,
    );
  }
  const badRows = await ask(asker, QUESTIONS.badRows, {
    flag: FLAGS.badRows,
    // The question about unreadable rows comes after the rows are read.
    given: flags.csvBadRows ?? QUESTIONS.badRows.initial,
  });
  const fields = await surroundings.defaultFields('csv');
  const own = findOwnColumns(header, fields, {
    journal: await readJournalColumns(output, cwd),
    previous: await surroundings.writtenBefore(path),
    id: columns.id,
  });
  const renamed = renameOurs(fields, own, header.names);
  const chosen = { ...NO_NAMES, ...columns, ...columns.names, ...marks };
  return {
    kind: 'csv',
    path,
    output: isSame ? null : output,
    encoding: header.encoding,
    sheet,
    badRows,
    columns,
    marks,
    advice: guess.advice,
    fileColumns: listFileColumns(header, chosen),
    fields: own.size === 0 ? null : renamed,
    notes: [...renamedTexts(fields, renamed), ...fileNotes(header, chosen)],
  };
}

const NO_NAMES = { firstName: null, lastName: null, fullName: null };

async function askPath(
  asker: Prompter,
  flags: InitFlags,
  cwd: string,
  sheet: string | null,
): Promise<{ path: string; header: CsvHeader }> {
  const path = await askText(asker, {
    flag: '--csv-path',
    message: 'Which CSV file contains the contacts?',
    given: flags.csvPath,
    initial: null,
    validate: async (answer) =>
      answer === '' ? null : getProblem(await readCsvHeader(answer, cwd, sheet)),
  });
  const header = await readCsvHeader(path, cwd, sheet);
  if ('problem' in header) throw unreadableCsv(header.problem);
  return { path, header };
}

function getProblem(header: CsvHeader | CsvProblem): string | null {
  return 'problem' in header ? header.problem : null;
}

function askOutput(
  asker: Prompter,
  flags: InitFlags,
  path: string,
  { foreign }: CsvHeader,
): Promise<string> {
  return askText(asker, {
    flag: '--csv-output',
    message: 'Which CSV file should get the results? (the same file would be replaced completely)',
    given: flags.csvOutput,
    initial: enhancedPath(path, foreign !== null),
  });
}

/**
 * Returns the path of the result file, for example `lists/donors-enhanced.csv` for `lists/donors.csv`. The results of
 * workbooks and UTF-16 text are CSV files.
 */
function enhancedPath(path: string, isForeign: boolean): string {
  const extension = extname(path);
  const own = isForeign || extension === '' ? '.csv' : extension;
  return join(dirname(path), `${basename(path, extension)}-enhanced${own}`);
}

async function askParts(
  asker: Prompter,
  flags: InitFlags,
  header: CsvHeader,
  guess: ColumnGuess,
): Promise<CsvAnswers['columns']> {
  const { columns } = header;
  const withoutId = guess.id === null ? idNotes(header, null) : [];
  return {
    id: await ask(asker, QUESTIONS.idColumn, {
      flag: FLAGS.idColumn,
      aside: withoutId.map((note) => ` ${note}`).join(''),
      given: flags.csvId,
      initial: guess.id,
      columns,
    }),
    names: await askNames(asker, flags, columns, guess),
    addresses: await askColumns(asker, QUESTIONS.addresses, {
      flag: FLAGS.addresses,
      given: flags.csvAddresses,
      initial: guess.addresses,
      columns,
    }),
    employers: await askColumns(asker, QUESTIONS.employers, {
      flag: FLAGS.employers,
      given: flags.csvEmployers,
      initial: guess.employers,
      columns,
    }),
  };
}

async function askNames(
  asker: Prompter,
  flags: InitFlags,
  columns: readonly string[],
  guess: ColumnGuess,
): Promise<NameColumns> {
  const form = await ask(asker, QUESTIONS.nameForm, {
    flag: FLAGS.nameForm,
    given: getNameForm(flags),
    initial: guessNameForm(guess),
  });
  if (form === 'whole') {
    const fullName = await ask(asker, QUESTIONS.fullName, {
      flag: FLAGS.fullName,
      given: flags.csvFullName,
      initial: guess.fullName,
      columns,
    });
    return { fullName };
  }
  const firstName = await ask(asker, QUESTIONS.firstName, {
    flag: FLAGS.firstName,
    given: flags.csvFirstName,
    initial: guess.firstName,
    columns,
  });
  const problem = sameNameProblem(firstName, flags.csvLastName);
  if (problem !== null) {
    throw usageError(`${FLAGS.lastName}: ${problem}; for whole names use ${FLAGS.fullName}`);
  }
  const lastName = await ask(asker, QUESTIONS.lastName, {
    flag: FLAGS.lastName,
    given: flags.csvLastName,
    initial: guess.lastName === firstName ? null : guess.lastName,
    columns: columns.filter((name) => name !== firstName),
  });
  return { firstName, lastName };
}

function getNameForm(flags: InitFlags): 'two' | 'whole' | undefined {
  const hasTwo = flags.csvFirstName !== undefined || flags.csvLastName !== undefined;
  if (flags.csvFullName === undefined) return hasTwo ? 'two' : undefined;
  if (!hasTwo) return 'whole';
  throw usageError(
    '--csv-full-name replaces --csv-first-name and --csv-last-name, so use it without them',
  );
}

function guessNameForm({ firstName, lastName, fullName }: ColumnGuess): 'two' | 'whole' | null {
  if (fullName !== null) return 'whole';
  return firstName === null && lastName === null ? null : 'two';
}

async function askMarks(
  asker: Prompter,
  flags: InitFlags,
  columns: readonly string[],
  guess: ColumnGuess,
): Promise<MarkColumns> {
  const askMark = (
    name: 'optOutColumn' | 'deceasedColumn' | 'doNotContactColumn',
    given: string | undefined,
    column: string | null,
  ) =>
    ask(asker, QUESTIONS[name], {
      flag: FLAGS[name],
      aside: ' Contacts with this mark are never sent to the service.',
      given,
      initial: column ?? QUESTIONS[name].initial ?? null,
      columns,
    });
  return {
    optOut: await askMark('optOutColumn', flags.csvOptOut, guess.optOut),
    deceased: await askMark('deceasedColumn', flags.csvDeceased, guess.deceased),
    doNotContact: await askMark('doNotContactColumn', flags.csvDoNotContact, guess.doNotContact),
  };
}
