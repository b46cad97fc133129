import type { Command } from 'commander';
import { z } from 'zod';
import { countOf, formatCount } from '../../terminal/words.ts';
import {
  type ServiceAction,
  type ServiceDeps,
  serviceAction,
  serviceCommand,
  serviceOptions,
} from './action.ts';

const END_FIRST = 'End the service first: this keeps the database to itself.';

/** `service erase`: a person is forgotten, and does not come back. */
export function eraseCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('erase', deps)
    .description('erase a person who was imported, and keep them from coming back')
    .argument('<id>', "the donor's id, as profiles show it; an id from before a join as well")
    .option('--allow-again', 'erase no one: let one who was erased come back with the next import')
    .addHelpText(
      'after',
      `
Profile, sources, matches and explanations, places in lists and networks, and files of exports with the person
in them are gone at once and cannot be brought back. Backups still hold them. ${END_FIRST}`,
    );
  const schema = serviceOptions.extend({ allowAgain: z.boolean().optional() });
  return serviceAction(deps, command, schema, (action) =>
    withDatabase(action, (db) => {
      const id = z.string().parse(command.args[0]);
      const { service, output } = action;
      if (action.options.allowAgain === true) {
        service.allowAgain(db, id);
        output.finish({ id, mayComeBack: true }, () =>
          output.print(`${id} may come back with the next import that has a new file.`),
        );
      } else {
        service.erasePerson(db, id, deps.clock.now);
        output.finish({ id, erased: true }, () =>
          output.print(
            `${id} is erased, and no import brings them back. Backups from before still hold them.`,
          ),
        );
      }
      return undefined;
    }),
  );
}

/** `service join`: donors who turned out to be one person become one. */
export function joinCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('join', deps)
    .description('join donors who were added apart and are one person, by what imports go by')
    .option('--preview', 'only show who would be joined, and why')
    .addHelpText(
      'after',
      `
Both ids lead to the one profile afterwards, and jobs, lists and networks go on with it. A join cannot be taken
back: look at --preview, and make a backup. ${END_FIRST}`,
    );
  const schema = serviceOptions.extend({ preview: z.boolean().optional() });
  return serviceAction(deps, command, schema, (action) =>
    withDatabase(action, (db) => {
      const { service, output, options } = action;
      const isPreview = options.preview === true;
      const joined = service.joinDonors(db, {
        isPreview,
        clock: deps.clock.now,
        progress: (looked, count) => {
          if (looked > 0) output.note(`${formatCount(looked)} of ${formatCount(count)} donors`);
        },
      });
      output.finish({ isPreview, joined }, () => {
        for (const one of joined) {
          output.print(`${one.joined} → ${one.id}  ${one.probability.toFixed(4)}`);
          output.print(`  ${one.reasons.join('. ')}.`);
        }
        const pairs = countOf(joined.length, 'pair');
        output.print(isPreview ? `${pairs} would be joined.` : `${pairs} joined.`);
      });
      return undefined;
    }),
  );
}

function withDatabase<Result>(
  { service, file }: Pick<ServiceAction<unknown>, 'service' | 'file'>,
  work: (db: ReturnType<typeof service.openDatabase>) => Result,
): Result {
  // Refuses a file that is not there, which the next line would make.
  service.openBeside(file).close();
  const db = service.openDatabase(file, { isDurable: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
