import type { Command } from 'commander';
import { z } from 'zod';
import { createCommand } from '../../action/command.ts';
import { type Output, usageError } from '../../terminal/output.ts';
import { describeCount, formatCount } from '../../terminal/words.ts';
import {
  beside,
  type ServiceAction,
  type ServiceDeps,
  serviceAction,
  serviceCommand,
  serviceOptions,
} from './action.ts';

const END_FIRST =
  'Stop the service first, because only one program at a time can use the database for this command.';

export function eraseCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('erase', deps)
    .description('erase an imported person, and prevent later imports of the same person')
    .argument('<id>', "the donor's ID in profiles; an ID from before a join also works")
    .option('--allow-again', 'erase nobody; let the next import add an erased person again')
    .addHelpText(
      'after',
      `
The profile, sources, matches and explanations, places in lists and networks, and export files with the person
are deleted at once and cannot be restored. Backups still contain them. ${END_FIRST}`,
    );
  const schema = serviceOptions.extend({ allowAgain: z.boolean().optional() });
  return serviceAction(deps, command, schema, (action) =>
    withDatabase(action, (db) => {
      const id = z.string().parse(command.args[0]);
      const { service, output } = action;
      if (action.options.allowAgain === true) {
        service.allowAgain(db, id);
        output.finish({ id, mayComeBack: true }, () =>
          output.print(`${id} can be added again by the next import with a new file.`),
        );
      } else {
        service.erasePerson(db, id, deps.clock.now);
        output.finish({ id, erased: true }, () =>
          output.print(
            `${id} is erased, and no import adds them again. Earlier backups still contain them.`,
          ),
        );
      }
      return undefined;
    }),
  );
}

export function joinCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('join', deps)
    .description('join donors who were added separately but are one person by the rules of imports')
    .option('--preview', 'only show which donors would be joined, and why')
    .option('--undo <ids...>', 'undo the joins of the donors with these IDs, all or none')
    .addHelpText(
      'after',
      `
Afterwards, both IDs lead to the same profile, including in jobs, lists and networks. Check --preview first.
--undo separates the two donors again. Several IDs at once take hardly longer than one. Jobs, members and places that
were created for the joined donor then return 404. A join by an earlier version cannot be undone. ${END_FIRST}`,
    );
  const schema = serviceOptions.extend({
    preview: z.boolean().optional(),
    undo: z.array(z.string().min(1)).optional(),
  });
  return serviceAction(deps, command, schema, (action) =>
    withDatabase(action, (db) => {
      const { service, output, options } = action;
      const { undo } = options;
      if (undo !== undefined) {
        if (options.preview === true) throw usageError('Use --undo or --preview, not both.');
        printUndone(output, service.undoJoins(db, undo, deps.clock.now));
        return undefined;
      }
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
        const pairs = describeCount(joined.length, 'pair');
        output.print(isPreview ? `${pairs} would be joined.` : `${pairs} joined.`);
      });
      return undefined;
    }),
  );
}

type Undone = ReturnType<ServiceAction<unknown>['service']['undoJoins']>;

function printUndone(output: Output, undone: Undone): void {
  output.finish({ undone }, () => {
    for (const { id, restored, mixed } of undone) {
      output.print(`${id} and ${restored} are two donors again.`);
      for (const { team, jobs, members, places } of mixed) {
        const counts = [
          describeCount(jobs, 'job'),
          describeCount(members, 'network member'),
          describeCount(places, 'place in lists', 'places in lists'),
        ];
        output.print(
          `${team}: ${counts.join(', ')} that were created for the joined donor now return 404.`,
        );
      }
    }
  });
}

export function checkJoinsCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('check-joins', deps).description(
    'list joined donors whose sources may describe two people',
  );
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const { service, output } = action;
      const suspicious = service.checkJoins(db);
      output.finish({ suspicious }, () => {
        for (const { id, undo, reason, keys } of suspicious) {
          output.print(`${id}  ${reason}.`);
          output.print(`  Sources: ${keys.join(', ')}`);
          output.print(
            undo === null
              ? '  The file does not contain the data of each source, so this join cannot be undone.'
              : `  To undo it: donor-sync service join --undo ${undo}`,
          );
        }
        output.print(`${describeCount(suspicious.length, 'suspicious join')}.`);
      });
      return undefined;
    }),
  );
}

export function reviewCommand(deps: ServiceDeps): Command {
  const list = serviceCommand('list', deps).description(
    'list pairs of donors that may be one person, with the evidence',
  );
  serviceAction(deps, list, serviceOptions, (action) =>
    beside(action, (db) => {
      const { service, output } = action;
      const pairs = service.listReviews(db);
      output.finish({ pairs }, () => {
        for (const { id, other, keys, otherKeys, probability, reasons } of pairs) {
          output.print(`${id} ${other}  ${probability.toFixed(4)}`);
          output.print(`  ${keys.join(', ')} and ${otherKeys.join(', ')}`);
          output.print(`  ${reasons.join('. ')}.`);
        }
        output.print(`${describeCount(pairs.length, 'pair')} to review.`);
      });
      return undefined;
    }),
  );
  return createCommand('review', deps)
    .description('decide about pairs of donors that may be one person')
    .addCommand(list)
    .addCommand(decideCommand(deps, 'approve'))
    .addCommand(decideCommand(deps, 'reject'));
}

const DECISIONS = {
  approve: {
    decision: 'one person',
    description: 'the two are one person: join them',
    done: 'are one donor now.',
  },
  reject: {
    decision: 'two people',
    description: 'the two are different people: never join them',
    done: 'stay two donors, and are never joined.',
  },
} as const;

function decideCommand(deps: ServiceDeps, name: keyof typeof DECISIONS): Command {
  const { decision, description, done } = DECISIONS[name];
  const command = serviceCommand(name, deps)
    .description(description)
    .argument('<id>', "a donor's ID, as shown in the list")
    .argument('<other>', "the other donor's ID")
    .addHelpText('after', `\n${END_FIRST}`);
  return serviceAction(deps, command, serviceOptions, (action) =>
    withDatabase(action, (db) => {
      const { service, output } = action;
      const [id = '', other = ''] = command.args;
      service.decideReview(db, { ids: [id, other], decision }, deps.clock.now);
      output.finish({ id, other, decision }, () => output.print(`${id} and ${other} ${done}`));
      return undefined;
    }),
  );
}

function withDatabase<Result>(
  { service, file }: Pick<ServiceAction<unknown>, 'service' | 'file'>,
  work: (db: ReturnType<typeof service.openDatabase>) => Result,
): Result {
  // Refuses a missing file here, because the next line would create it.
  service.openBeside(file).close();
  const db = service.openDatabase(file, { isDurable: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
