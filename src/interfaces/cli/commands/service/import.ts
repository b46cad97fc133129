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

A file is in as a whole or not at all. To continue an import that was stopped, run the
same command again; it skips files that are in. End the service first: it keeps the database to itself.
The columns of CSV files, and what each kind brings: docs/guides/service.md.`;

const schema = serviceOptions.extend({
  roles: z.string().optional(),
  source: z.string().min(1),
  date: z.iso.date({ error: 'Write --date as a day: 2026-11-22.' }).optional(),
  confidence: z.number(),
  idsChanged: z.boolean().default(false),
  otherPeople: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});

/** So often a long import says how far it is. */
const SAY_EVERY = 500;

const KINDS = ['csv', 'legislators', 'judges', '990'] as const;

/** `service import`: real people, each once. */
export function importCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('import', deps)
    .description('bring people in from files, each person once')
    .addArgument(new Argument('<kind>', 'what the files are').choices(KINDS))
    .argument('<paths...>', 'the files; for 990 folders as well')
    .option('--roles <file>', 'csv: a second file with roles and gifts')
    .option('--source <name>', 'csv: what the collection is called in profiles', 'csv')
    .option('--date <day>', 'csv, legislators, judges: the day that they are of (default: today)')
    .option('--confidence <n>', 'csv: how far it may be believed, 0 to 1', readConfidence, 0.9)
    .option(
      '--ids-changed',
      'csv: the list has new ids; rows that agree in full are the same people',
    )
    .option(
      '--other-people',
      'csv: rows that agree in full with a donor of this list are other people',
    )
    .option('--dry-run', 'show the counts and the least certain joins; import nothing')
    .addHelpText('after', EXAMPLES);
  return serviceAction(deps, command, schema, async ({ service, file, options, output }) => {
    const kind = z.enum(KINDS).parse(command.processedArgs[0]);
    const paths = z.array(z.string()).parse(command.processedArgs[1]);
    if (kind === 'csv' && paths.length > 1) {
      throw usageError('Import one CSV file of donors at a time: roles belong to one file.');
    }
    if (kind !== 'csv' && options.roles !== undefined) {
      throw usageError('--roles belongs to csv.');
    }
    if (options.idsChanged && options.otherPeople) {
      throw usageError('Use --ids-changed or --other-people, not both.');
    }
    if (kind !== 'csv' && (options.idsChanged || options.otherPeople)) {
      throw usageError('--ids-changed and --other-people belong to csv.');
    }
    const db = service.openDatabase(file, { isDurable: true });
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
          `${describeCount(files, 'file')}, ${known} of them in already: ${describeCount(people, 'person', 'people')}, ${added} new, ${changed} with something new.`,
        );
        if (blocked > 0) {
          output.print(
            `${describeCount(blocked, 'person', 'people')} left out: erased, or taken for one.`,
          );
        }
        if (report.unread.count > 0) {
          const entries = describeCount(report.unread.count, 'entry', 'entries');
          output.print(`${entries} left out, because they do not name anybody:`);
          for (const text of report.unread.texts) output.print(`  ${text}`);
        }
        if (report.joined > 0) {
          const entries = describeCount(report.joined, 'person', 'people');
          output.print(`${entries} taken for donors of other sources. The least certain ones:`);
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
        if (refused.length > 0) output.print(`${describeCount(refused.length, 'file')} left out:`);
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
