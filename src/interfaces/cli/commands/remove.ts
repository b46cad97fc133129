import type { Command } from 'commander';
import { dropUploads, hasUpload, presentSettings } from '../../../clients/setup/draft.ts';
import { deleteSettings } from '../../../clients/statements/integrations.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { withLease } from '../../../sync/control/with-lease.ts';
import { askingCommand, type CommandAbout } from '../action/asking.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync remove riverside
  donor-sync remove riverside --yes --json

A CSV file that was dropped into its set-up is deleted with its results; any other file stays.
Processes that serve or work stop with it within seconds; a run that is under way comes to its end. What
is known of its contacts stays: applied again, it goes on from there.`;

const ABOUT = {
  name: 'remove',
  description: 'take the settings of an integration out of the database',
  argument: ['<id>', 'the integration'],
  examples: EXAMPLES,
} satisfies CommandAbout;

/** The command `remove`: the way back from `apply`. */
export function removeCommand(deps: ProductDeps): Command {
  return askingCommand(deps, ABOUT, async (action, id) => {
    const { application, settings, confirm, output } = action;
    const { store, takeLease } = application;
    application.select([id]);
    await confirm(`Take "${id}" out of the database?`);
    if ((await presentSettings(application, id)) === null) {
      throw new ConfigurationError(
        `"${id}" is not in the database: take it out of the settings file ${settings.path}.`,
        { code: 'not_applied', details: { integration: id } },
      );
    }
    const isAlone = !settings.integrations.some((each) => each.id === id);
    const hasFile = isAlone && (await hasUpload(application, id));
    // A run would write its results once more.
    const files = hasFile
      ? await withLease({ store, takeLease, clock: deps.clock }, id, () =>
          dropUploads(application, id),
        )
      : [];
    await store.act((trx) => deleteSettings(trx, id));
    output.finish({ removed: id, files }, () => {
      output.print(`"${id}" is out of the database.`);
      for (const name of files) output.print(`The file ${name} is deleted.`);
    });
    return undefined;
  });
}
