import { type Command, Option } from 'commander';
import { z } from 'zod';
import { createCommand } from '../../action/command.ts';
import { usageError } from '../../terminal/output.ts';
import { describeCount, formatTimestamp } from '../../terminal/words.ts';
import { wholeNumber } from '../sandbox/stand-in.ts';
import {
  beside,
  type ServiceDeps,
  serviceAction,
  serviceCommand,
  serviceOptions,
} from './action.ts';

const MAX_CREDITS = 1_000_000_000;
const MAX_LINE = Number.MAX_SAFE_INTEGER;

const BUCKETS = ['donors', 'enhancements', 'exports', 'lists', 'networks', 'searches'] as const;

const word = z.string();

export function teamsCommand(deps: ServiceDeps): Command {
  const add = serviceCommand('add', deps)
    .description('add a team; creates the database if there is none')
    .argument('<team>', 'lower-case letters, digits and hyphens')
    .option('--credits <n>', 'credits in each bucket', wholeNumber(0, MAX_CREDITS), 0);
  serviceAction(
    deps,
    add,
    serviceOptions.extend({ credits: z.number() }),
    ({ service, file, options, output }) => {
      const db = service.openDatabase(file, { isClaimed: false, isDurable: true });
      try {
        const team = service
          .openTeams(db, deps.clock.now)
          .add(word.parse(add.args[0]), options.credits);
        output.finish(team, () =>
          output.print(`Added. Next: donor-sync service keys issue ${team.name}`),
        );
      } finally {
        db.close();
      }
      return undefined;
    },
  );
  const list = serviceCommand('list', deps).description('list the teams');
  serviceAction(deps, list, serviceOptions, (action) =>
    beside(action, (db) => {
      const teams = action.service.openTeams(db, deps.clock.now).list();
      action.output.finish({ teams }, () =>
        action.output.table(
          [
            { header: 'Team', value: ({ name }) => name },
            { header: 'Since', value: ({ createdAtMs }) => formatTimestamp(createdAtMs) },
            {
              header: 'State',
              value: ({ closedAtMs }) => (closedAtMs === null ? 'open' : 'closed'),
            },
          ],
          teams,
        ),
      );
      return undefined;
    }),
  );
  return createCommand('teams', deps)
    .description('add, list, close and open teams')
    .addCommand(add)
    .addCommand(list)
    .addCommand(closingCommand(deps, 'close', 'refuse all keys of a team at once; its data stays'))
    .addCommand(closingCommand(deps, 'open', 'let the keys of a closed team work again'));
}

function closingCommand(deps: ServiceDeps, name: 'close' | 'open', description: string): Command {
  const command = serviceCommand(name, deps).description(description).argument('<team>');
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const teams = action.service.openTeams(db, deps.clock.now);
      const team = teams.setClosed(word.parse(command.args[0]), name === 'close');
      action.output.finish(team, () =>
        action.output.print(`${team.name} is ${name === 'close' ? 'closed' : 'open'}.`),
      );
      return undefined;
    }),
  );
}

export function keysCommand(deps: ServiceDeps): Command {
  return createCommand('keys', deps)
    .description('issue, list and revoke the keys of teams')
    .addCommand(issueCommand(deps))
    .addCommand(listKeysCommand(deps))
    .addCommand(revokeCommand(deps))
    .addCommand(lastDayCommand(deps));
}

function issueCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('issue', deps)
    .description('create a key and print it once')
    .argument('<team>')
    .option('--label <text>', 'your name for the key', '')
    .option('--until <day>', "the key's last day, in UTC (default: none)");
  const schema = serviceOptions.extend({ label: z.string(), until: dayOption.optional() });
  return serviceAction(deps, command, schema, (action) =>
    beside(action, (db) => {
      const { service, options, output } = action;
      const keys = service.openTeamKeys(db, service.openTeams(db, deps.clock.now), deps.clock.now);
      const { apiKey, key } = keys.issue({
        team: word.parse(command.args[0]),
        label: options.label,
        deactivatesOn: options.until ?? null,
      });
      output.finish({ apiKey, ...key }, () => {
        output.print(apiKey);
        output.note(`Save it now: it will not be shown again. Its ID is ${key.id}.`);
      });
      return undefined;
    }),
  );
}

const dayOption = z.iso.date({ error: 'Enter the day as 2027-06-30.' });

function listKeysCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('list', deps).description('list the keys, without their secrets');
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const { service, output } = action;
      const teams = service.openTeams(db, deps.clock.now);
      const keys = service.openTeamKeys(db, teams, deps.clock.now).list();
      output.finish({ keys }, () =>
        output.table(
          [
            { header: 'Key', value: ({ id }) => id },
            { header: 'Team', value: ({ team }) => team },
            { header: 'Label', value: ({ label }) => label, shrinks: true },
            { header: 'Since', value: ({ createdAtMs }) => formatTimestamp(createdAtMs) },
            { header: 'Last day', value: ({ deactivatesOn }) => deactivatesOn ?? 'none' },
            {
              header: 'State',
              value: ({ revokedAtMs }) => (revokedAtMs === null ? 'works' : 'revoked'),
            },
          ],
          keys,
        ),
      );
      return undefined;
    }),
  );
}

function revokeCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('revoke', deps)
    .description('end a key at once')
    .argument('<id>', 'the ID, as shown in the list');
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const { service, output } = action;
      const keys = service.openTeamKeys(db, service.openTeams(db, deps.clock.now), deps.clock.now);
      const key = keys.revoke(word.parse(command.args[0]));
      output.finish(key, () => output.print(`${key.id} of ${key.team} no longer works.`));
      return undefined;
    }),
  );
}

function lastDayCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('until', deps)
    .description('set or remove the last day of a key')
    .argument('<id>', 'the ID, as shown in the list')
    .argument('<day>', 'the last day in UTC, or "none"');
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const { service, output } = action;
      const day = dayOption.or(z.literal('none')).safeParse(command.args[1]);
      if (!day.success) throw usageError('Enter the day in the form 2027-06-30, or enter "none".');
      const keys = service.openTeamKeys(db, service.openTeams(db, deps.clock.now), deps.clock.now);
      const key = keys.setLastDay(
        word.parse(command.args[0]),
        day.data === 'none' ? null : day.data,
      );
      output.finish(key, () => output.print(`The last day of ${key.id}: ${day.data}.`));
      return undefined;
    }),
  );
}

export function creditsCommand(deps: ServiceDeps): Command {
  const list = serviceCommand('list', deps).description("show each team's balance");
  serviceAction(deps, list, serviceOptions, (action) =>
    beside(action, (db) => {
      const accounts = action.service.openTeams(db, deps.clock.now).accounts();
      action.output.finish({ accounts }, () =>
        action.output.table(
          [
            { header: 'Team', value: ({ team }) => team },
            { header: 'Bucket', value: ({ bucket }) => bucket },
            { header: 'Granted', value: ({ granted }) => String(granted), align: 'right' },
            { header: 'Remaining', value: ({ remaining }) => String(remaining), align: 'right' },
          ],
          accounts,
        ),
      );
      return undefined;
    }),
  );
  const add = serviceCommand('add', deps)
    .description('add credits to a team, even while the service is running')
    .argument('<team>')
    .argument('<amount>', 'a whole number', wholeNumber(1, MAX_CREDITS))
    .addOption(
      new Option('--bucket <names...>', 'only these buckets (default: all)').choices(BUCKETS),
    );
  const schema = serviceOptions.extend({ bucket: z.array(z.enum(BUCKETS)).optional() });
  serviceAction(deps, add, schema, (action) =>
    beside(action, (db) => {
      const amount = z.number().parse(add.processedArgs[1]);
      const buckets = action.options.bucket ?? BUCKETS;
      const amounts = Object.fromEntries(buckets.map((bucket) => [bucket, amount]));
      const teams = action.service.openTeams(db, deps.clock.now);
      const team = word.parse(add.args[0]);
      const balances = teams.addCredits(team, amounts);
      action.output.finish({ team, balances }, () => {
        for (const bucket of BUCKETS) action.output.print(`${bucket}: ${balances[bucket]}`);
      });
      return undefined;
    }),
  );
  return createCommand('credits', deps)
    .description('show, add and check the credits of teams')
    .addCommand(list)
    .addCommand(add)
    .addCommand(checkCreditsCommand(deps))
    .addCommand(refundCommand(deps));
}

function checkCreditsCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('check', deps)
    .description('list charges of the last seven days without the jobs that they paid for')
    .addHelpText('after', '\nRefund a charge: donor-sync service credits refund LINE');
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const missing = action.service.findMissingWork(db, deps.clock.now);
      action.output.finish({ missing }, () => {
        action.output.table(
          [
            { header: 'Line', value: ({ line }) => String(line), align: 'right' },
            { header: 'Charged', value: ({ atMs }) => formatTimestamp(atMs) },
            { header: 'Team', value: ({ team }) => team },
            { header: 'Amount', value: ({ amount }) => String(amount), align: 'right' },
            { header: 'Without a job', value: (row) => String(row.missing), align: 'right' },
            { header: 'Certain', value: ({ isCertain }) => (isCertain ? 'yes' : 'by time') },
          ],
          missing,
        );
        if (missing.length === 0) action.output.print('Every charge has its jobs.');
      });
      return undefined;
    }),
  );
}

function refundCommand(deps: ServiceDeps): Command {
  const command = serviceCommand('refund', deps)
    .description('refund a charge, once')
    .argument('<line>', 'the line in the ledger, as shown by the check', wholeNumber(1, MAX_LINE));
  return serviceAction(deps, command, serviceOptions, (action) =>
    beside(action, (db) => {
      const line = z.number().parse(command.processedArgs[0]);
      const credits = action.service.refundLine(db, line, deps.clock.now);
      action.output.finish({ line, credits }, () =>
        action.output.print(`Line ${line}: ${describeCount(credits, 'credit')} refunded.`),
      );
      return undefined;
    }),
  );
}
