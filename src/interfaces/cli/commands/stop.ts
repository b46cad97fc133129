import type { Command } from 'commander';
import { ConfigurationError } from '../../../core/errors.ts';
import { requestStop } from '../../../sync/statements/runs.ts';
import { findRunning } from '../../../sync/views/run.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { findRun } from '../action/runs.ts';

const EXAMPLES = `
Examples:
  donor-sync stop riverside      the run of an integration that is going on
  donor-sync stop 1a2b3c4d       a run by its id, whole or as \`runs\` shows it

The run ends within seconds, on whichever machine it goes on; what was paid for is kept, and the next
run goes on from there. To keep the next one from starting: donor-sync schedule pause ID`;

/** The command `stop`: ends a run from outside. */
export function stopCommand(deps: ProductDeps): Command {
  const command = productCommand('stop', deps)
    .description('end a run at its next checkpoint; the next one goes on from there')
    .argument('<run>', 'an integration, or the id of a run')
    .addHelpText('after', EXAMPLES);
  return productAction(
    deps,
    command,
    baseOptions,
    async ({ application, output }, word: string) => {
      const { store, integrations } = application;
      const id = integrations.has(word)
        ? (await findRunning(deps, store, word))?.run
        : (await findRun(store.reader, word)).id;
      const state = id == null ? 'over' : await store.act((trx) => requestStop(trx, id));
      if (id == null || state === 'over') {
        throw new ConfigurationError(
          `There is nothing to stop: no run of "${word}" is going on. \`donor-sync status\` shows what is.`,
          { code: 'run_over', details: { run: word } },
        );
      }
      output.finish({ stop: { run: id, state } }, () =>
        output.print('The run was asked to stop. It ends within seconds.'),
      );
    },
  );
}
