import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { EXIT_CODES } from '../../terminal/output.ts';
import { formatCount, formatTimestamp } from '../../terminal/words.ts';
import {
  beside,
  type ServiceDeps,
  serviceAction,
  serviceCommand,
  serviceOptions,
} from './action.ts';

export function statsCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('stats', deps).description('count the content of the database');
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const stats = action.service.readStats(db);
      action.output.finish(stats, () => {
        const { imports, ...counts } = stats;
        for (const [what, count] of Object.entries(counts)) {
          action.output.print(`${what.padEnd(14)}${formatCount(count)}`);
        }
        action.output.print();
        action.output.table(
          [
            { header: 'Imported', value: ({ atMs }) => formatTimestamp(atMs) },
            { header: 'Kind', value: ({ kind }) => kind },
            { header: 'File', value: ({ file }) => file, shrinks: true },
            { header: 'People', value: ({ people }) => formatCount(people), align: 'right' },
            { header: 'New', value: ({ added }) => formatCount(added), align: 'right' },
          ],
          imports.slice(-MOST_SHOWN),
        );
      });
      return undefined;
    }),
  );
}

/** The maximum number of printed files. `--json` lists all files. */
const MOST_SHOWN = 20;

const RESTORE = `
To restore the copy, stop the service, delete the files that end with -wal and -shm next to the database, and
replace the database with the copy.`;

export function backupCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('backup', deps)
    .description('copy the database into a new file, while it is in use')
    .argument('<file>', 'the copy')
    .addHelpText('after', RESTORE);
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, async (db) => {
      const target = resolve(deps.cwd, z.string().parse(command.args[0]));
      await action.service.backUp(db, target);
      action.output.finish({ file: target }, () =>
        action.output.print(
          `Copied to ${target}. It contains data about people, so protect it like the database.`,
        ),
      );
      return undefined;
    }),
  );
}

export function verifyCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('verify', deps).description(
    'check the file, the credits against the ledger, and that all references are valid',
  );
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const problems = action.service.verify(db, deps.clock.now);
      action.output.finish({ problems }, () => {
        for (const problem of problems) action.output.print(problem);
        if (problems.length === 0) action.output.print('No problems found.');
      });
      return problems.length === 0 ? EXIT_CODES.done : EXIT_CODES.unexpected;
    }),
  );
}
