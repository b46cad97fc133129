import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  checkBackup,
  holdAll,
  type Restored,
  type RestoreOptions,
  restoreDatabase,
} from '../../../../backup/backup.ts';
import type { RecalledSpending } from '../../../../backup/recall-spending.ts';
import { confirmRestore, findRestoreHold } from '../../../../backup/restores.ts';
import { PAID_SINCE_BACKUP } from '../../../../contacts/many-at-once/paid-since-backup.ts';
import { isoTime } from '../../../../core/clock.ts';
import { formatDuration } from '../../../../core/quantities.ts';
import { planOne } from '../../../../operations/plan.ts';
import type { ErasedAgain } from '../../../../privacy/statements/erase-again.ts';
import type { LogReach } from '../../../../privacy/statements/repeat-erasures.ts';
import { readOptions, runAction } from '../../action/command.ts';
import {
  baseOptions,
  confirmOrStop,
  loadProductSettings,
  openProduct,
  type ProductDeps,
  productCommand,
  withIntegration,
  withProduct,
} from '../../action/product.ts';
import { type Output, usageError } from '../../terminal/output.ts';
import { describeCount, formatTimestamp } from '../../terminal/words.ts';
import { printPlan } from '../plan/plan.ts';
import { databaseFile, keysFor } from './backup.ts';

const EXAMPLES = `
Examples:
  donor-sync restore donor-sync.backup --check    read the whole backup and change nothing
  donor-sync restore donor-sync.backup            replace the database with it
  donor-sync restore --agree riverside            see what a sync would spend, and agree to it
  donor-sync restore --put-back                   after another program has restored the database

A backup does not contain later changes. Contacts that were paid for since then get their profiles without a
credit, if the spending journal lists them. Otherwise you decide about all contacts that are new or changed.
Contacts that were erased since then are erased again, according to the log next to the database and the log
next to the backup. If there is no log, or no log that was in use after the backup was made, the command tells
you so, and nothing runs until you agree. Every client is held: syncs read, deliver what is paid for, and spend
nothing until you have seen the plan and agreed. No other process may use the database during the restore. The
former database is kept next to the restored one.`;

const optionsSchema = baseOptions
  .extend({
    check: z.boolean().default(false),
    putBack: z.boolean().default(false),
    agree: z.array(z.string()).optional(),
    yes: z.boolean().default(false),
  })
  .refine(({ check, putBack, agree }) => [check, putBack, agree].filter(Boolean).length <= 1, {
    error: 'Use only one of --check, --put-back and --agree.',
  });

type RestoreCommandOptions = z.infer<typeof optionsSchema>;

export function restoreCommand(deps: ProductDeps): Command {
  const command = productCommand('restore', deps)
    .description('replace the database with a backup, and agree to spend again')
    .argument('[file]', 'a file that `donor-sync backup` has created')
    .option('--check', 'only read the whole backup')
    .option('--agree <ids...>', 'show what a sync of these clients would spend, and agree to it')
    .option(
      '--put-back',
      'hold all clients after another program, such as pg_restore, has restored the database',
    )
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  return command.action((file: string | undefined) =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, optionsSchema);
      const needsFile = options.agree === undefined && !options.putBack;
      if (needsFile !== (file !== undefined)) {
        throw usageError(
          needsFile ? 'Name the backup.' : '--agree and --put-back do not take a file.',
        );
      }
      if (options.agree !== undefined) await agree(deps, output, options, options.agree);
      else if (file === undefined) await putBack(deps, output, options);
      else await restore(deps, output, options, file);
      return undefined;
    }),
  );
}

async function restore(
  deps: ProductDeps,
  output: Output,
  { config, check, yes }: RestoreCommandOptions,
  file: string,
): Promise<void> {
  const settings = await loadProductSettings(deps, config);
  const path = databaseFile(settings, 'pg_restore --clean --dbname');
  const keyRing = await keysFor(deps, settings);
  const options: RestoreOptions = {
    path,
    file: resolve(deps.cwd, file),
    keyRing,
    openWith: (draft) =>
      openProduct(deps, { ...settings, database: `sqlite:${draft}` }, keyRing, {
        restores: true,
        backupFolders: [dirname(resolve(deps.cwd, file))],
      }),
  };
  const backup = await checkBackup(options);
  const age = formatDuration(deps.clock.now() - backup.madeAt);
  const facts = { ...backup, file: options.file, madeAt: isoTime(backup.madeAt) };
  if (check) {
    output.finish({ backup: facts }, () => {
      output.print(
        `Backup of ${formatTimestamp(backup.madeAt)}, ${age} ago: complete, and the key opens it.`,
      );
      output.print(`  ${backup.bytes} bytes of database, SHA-256 ${backup.digest}`);
    });
    return;
  }
  const question = `Replace the database ${path} with the backup of ${formatTimestamp(backup.madeAt)} (${age} ago)?`;
  await confirmOrStop(deps, question, yes);
  const restored = await restoreDatabase(options);
  output.finish({ restored: { ...restored, backup: facts } }, () => print(output, restored));
}

async function putBack(
  deps: ProductDeps,
  output: Output,
  { config, yes }: RestoreCommandOptions,
): Promise<void> {
  const settings = await loadProductSettings(deps, config);
  await confirmOrStop(
    deps,
    'Repeat the erasures since then, and block all spending until a user agrees?',
    yes,
  );
  const product = await openProduct(deps, settings, undefined, { restores: true });
  const restored = await holdAll(product, null).finally(product.close);
  output.finish({ restored }, () => printHeld(output, restored));
}

function print(output: Output, { keptAs, backup, ...held }: Restored): void {
  output.print(`The database is now the backup of ${formatTimestamp(backup.madeAt)}.`);
  if (keptAs !== null) {
    output.print(`The former database is in ${keptAs}. Delete it once everything works.`);
  }
  printHeld(output, held);
}

function printHeld(
  output: Output,
  {
    blocked,
    erased,
    unfinished,
    held,
    logReachesTo,
    unknownAfter,
    spending,
  }: ErasedAgain & LogReach & { held: readonly string[]; spending: RecalledSpending },
): void {
  output.print(logText({ logReachesTo, unknownAfter }));
  output.print(
    `Erased since, according to the log: ${describeCount(blocked, 'contact')}. Of these, ${erased} were in the backup and were erased again.`,
  );
  if (unfinished > 0) {
    output.print(
      `${describeCount(unfinished, 'erasure')} had not finished. Repeat \`donor-sync forget\` for them.`,
    );
  }
  output.print(spendingText(spending));
  const what = unknownAfter === null ? 'Nothing is spent' : 'Nothing runs';
  output.print(`${what} for ${held.join(', ') || 'any integration'} until you agree:`);
  for (const id of held) output.print(`  donor-sync restore --agree ${id}`);
}

function logText({ logReachesTo, unknownAfter }: LogReach): string {
  if (unknownAfter === null && logReachesTo !== null) {
    return `The erasure log ends at ${formatTimestamp(logReachesTo)}. Later erasures are not known.`;
  }
  const found =
    logReachesTo === null
      ? 'NO ERASURE LOG was found.'
      : `The last line of the erasure log is from ${formatTimestamp(logReachesTo)}. No process has written to it since the backup was made, so it counts as missing.`;
  const after = unknownAfter ? ` after ${formatTimestamp(unknownAfter)}` : '';
  return `${found} Erasures${after} are not known, so contacts that were erased since then may be back. Replace the log with a newer one and restore again, or repeat \`donor-sync forget\` for these contacts before you agree.`;
}

function spendingText({
  path,
  reachesTo,
  isJournaled,
  contacts,
  credits,
}: RecalledSpending): string {
  const paid = `${describeCount(contacts, 'contact')} for ${describeCount(credits, 'credit')}`;
  if (isJournaled) {
    return `According to the spending journal, these contacts were paid for after the backup: ${paid}. donor-sync delivers their profiles at no further cost.`;
  }
  const why =
    path === null
      ? 'There is no spending journal.'
      : reachesTo === null
        ? `No spending journal was found (${path}).`
        : `The spending journal ${path} is damaged or ends before the backup (${formatTimestamp(reachesTo)}).`;
  const known = contacts === 0 ? '' : ` It lists ${paid}.`;
  return `${why}${known} Other payments since the backup are not known. After the first sync, all new or changed contacts wait for your decision (donor-sync holds).`;
}

async function agree(
  deps: ProductDeps,
  output: Output,
  { config, yes }: RestoreCommandOptions,
  ids: readonly string[],
): Promise<void> {
  const settings = await loadProductSettings(deps, config);
  await withProduct(deps, settings, async (application) => {
    const agreed: { integration: string; credits: number | null; wasHeld: boolean }[] = [];
    for (const integration of application.select(ids)) {
      const { id } = integration;
      const hold = await findRestoreHold(application.store.reader, id);
      if (hold === null) {
        agreed.push({ integration: id, credits: null, wasHeld: false });
        continue;
      }
      const plan = await withIntegration(application, integration, (open) =>
        planOne(open, { full: true }),
      );
      if (!output.isJson) {
        printPlan(output, plan);
        output.print();
      }
      const credits = plan.credits.enhancements.allowed;
      const { erasuresUnknownAfter: unknown } = hold;
      const erasures =
        unknown === null
          ? ''
          : `Erasures${unknown ? ` after ${formatTimestamp(unknown)}` : ''} are not known. `;
      const waiting = plan.leave[PAID_SINCE_BACKUP] ?? 0;
      const doubt =
        waiting === 0
          ? ''
          : `Up to ${describeCount(waiting, 'contact')} may have been paid for since the backup, and a balance that is not lower does not prove the opposite. They wait for your decision after the next sync. `;
      const question = `${erasures}${doubt}Allow syncs of "${id}" to spend again, with ${describeCount(credits, 'credit')} for enhancements the next time?`;
      await confirmOrStop(deps, question, yes);
      await application.store.act((trx) => confirmRestore(trx, id));
      agreed.push({ integration: id, credits, wasHeld: true });
    }
    output.finish({ agreed }, () => {
      for (const { integration, wasHeld } of agreed) {
        output.print(
          wasHeld
            ? `${integration}: syncs may spend again. To adopt contacts that carry a donor ID, without a credit: donor-sync sync ${integration} --adopt`
            : `${integration}: it was not held.`,
        );
      }
    });
  });
}
