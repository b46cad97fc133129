import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Argument, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { isoTime } from '../../../../core/clock.ts';
import { EXIT_CODES, usageError } from '../../terminal/output.ts';
import { describeCount } from '../../terminal/words.ts';
import { type ServiceDeps, serviceAction, serviceCommand, serviceOptions } from './action.ts';

const EXAMPLES = `
Examples:
  donor-sync service import 990 returns/                     a folder of e-filed returns (XML)
  donor-sync service import legislators legislators-current.yaml legislators-historical.yaml
  donor-sync service import judges judges.csv
  donor-sync service import csv donors.csv --roles roles.csv --source board-book --confidence 0.8

Each file is imported completely or not at all. To continue an interrupted import, run the same command
again. It skips files that are already imported. Stop the service first, because the import needs the database for
itself. For the columns of CSV files, and the content of each kind, see docs/guides/service.md.`;

const schema = serviceOptions.extend({
  roles: z.string().optional(),
  source: z.string().min(1),
  date: z.iso.date({ error: 'Enter --date as a day: 2026-11-22.' }).optional(),
  confidence: z.number(),
  idsChanged: z.boolean().default(false),
  otherPeople: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});

/** Progress is reported after this many files. */
const SAY_EVERY = 500;

const KINDS = ['csv', 'legislators', 'judges', '990'] as const;

export function importCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('import', deps)
    .description('import people from files, each person once')
    .addArgument(new Argument('<kind>', 'the kind of the files').choices(KINDS))
    .argument('<paths...>', 'the files; for 990 also folders')
    .option('--roles <file>', 'csv: a second file with roles and gifts')
    .option('--source <name>', 'csv: the name of the collection in profiles', 'csv')
    .option('--date <day>', 'csv, legislators, judges: the date of the data (default: today)')
    .option('--confidence <n>', 'csv: the confidence in the data, from 0 to 1', readConfidence, 0.9)
    .option(
      '--ids-changed',
      'csv: the list has new IDs; rows that agree completely are the same people',
    )
    .option(
      '--other-people',
      'csv: rows that agree completely with a donor of this list are different people',
    )
    .option('--dry-run', 'show the counts and the least certain joins; import nothing')
    .addHelpText('after', EXAMPLES);
  return serviceAction(deps, command, schema, async ({ service, file, options, output }) => {
    const kind = z.enum(KINDS).parse(command.processedArgs[0]);
    const paths = z.array(z.string()).parse(command.processedArgs[1]);
    if (kind === 'csv' && paths.length > 1) {
      throw usageError(
        'Import one CSV file of donors at a time, because roles belong to one file.',
      );
    }
    if (kind !== 'csv' && options.roles !== undefined) {
      throw usageError('--roles works only with csv.');
    }
    if (options.idsChanged && options.otherPeople) {
      throw usageError('Use --ids-changed or --other-people, not both.');
    }
    if (kind !== 'csv' && (options.idsChanged || options.otherPeople)) {
      throw usageError('--ids-changed and --other-people work only with csv.');
    }
    // A dry run creates no file, so it imports the data into memory.
    const isWithoutFile = options.dryRun && !existsSync(file);
    const db = service.openDatabase(isWithoutFile ? undefined : file, { isDurable: true });
    try {
      const report = await service.importPeople(db, {
        kind,
        paths: paths.map((path) => resolve(deps.cwd, path)),
        roles: options.roles === undefined ? null : resolve(deps.cwd, options.roles),
        source: options.source,
        date: options.date ?? isoTime(deps.clock.now()).slice(0, 10),
        confidence: options.confidence,
        clock: deps.clock.now,
        isDryRun: options.dryRun,
        sameUnderOtherIds: sameUnderOtherIds(options),
        progress: (_, index, count) => {
          if (index > 0 && index % SAY_EVERY === 0) output.note(`${index} of ${count} files`);
        },
      });
      output.finish(report, () => {
        const { files, known, people, added, changed, blocked, toReview, refused } = report;
        if (options.dryRun) output.print('Dry run: nothing was imported.');
        output.print(
          `${describeCount(files, 'file')}, ${known} of them already imported: ${describeCount(people, 'person', 'people')}, ${added} new, ${changed} with new data.`,
        );
        if (blocked > 0) {
          output.print(
            `${describeCount(blocked, 'person', 'people')} skipped, because they were erased or look like an erased person.`,
          );
        }
        if (report.unread.count > 0) {
          const entries = describeCount(report.unread.count, 'entry', 'entries');
          output.print(`${entries} skipped, because they do not name anybody:`);
          for (const text of report.unread.texts) output.print(`  ${text}`);
        }
        if (report.joined > 0) {
          const entries = describeCount(report.joined, 'person', 'people');
          output.print(
            `${entries} matched with donors from other sources. The least certain matches:`,
          );
          for (const { id, key, probability, reasons } of report.leastCertain) {
            output.print(`${key} → ${id}  ${probability.toFixed(4)}`);
            output.print(`  ${reasons.join('. ')}.`);
          }
        }
        if (toReview > 0) {
          output.print(
            `${describeCount(toReview, 'pair')} to review, not joined: donor-sync service review list`,
          );
        }
        if (refused.length > 0) output.print(`${describeCount(refused.length, 'file')} skipped:`);
        for (const { problem } of refused) output.print(problem);
      });
      return report.refused.length > 0 ? EXIT_CODES.unexpected : EXIT_CODES.done;
    } finally {
      db.close();
    }
  });
}

function sameUnderOtherIds({ idsChanged, otherPeople }: z.infer<typeof schema>) {
  if (idsChanged) return 'ids changed';
  return otherPeople ? 'other people' : undefined;
}

function readConfidence(text: string): number {
  const number = Number(text);
  if (/^[\d.]+$/.test(text) && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('Expected a number from 0 to 1, for example 0.8.');
}
