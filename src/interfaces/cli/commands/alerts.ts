import type { Command } from 'commander';
import type { Application } from '../../../application.ts';
import { type Alerts, createAlerts } from '../../../clients/alerts/alerts.ts';
import { createChannels } from '../../../clients/alerts/channels.ts';
import { type ChannelTest, testChannels } from '../../../clients/alerts/check-channels.ts';
import { listAlerts } from '../../../clients/statements/alerts.ts';
import { isoTime } from '../../../core/clock.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Settings } from '../../../settings/settings.ts';
import { readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
  withProduct,
} from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { formatAgo } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync alerts test      sends a message through each channel, and says what happened
  donor-sync alerts check     checks now and sends what has changed, for cron after a sync

\`donor-sync serve\` checks by itself. The recipients are in the settings, under alerts.`;

/** The command `alerts`: sends alerts, and tests the channels. */
export function alertsCommand(deps: ProductDeps): Command {
  return productCommand('alerts', deps)
    .description('send messages about problems, or a test message')
    .addCommand(testCommand(deps))
    .addCommand(checkCommand(deps))
    .addHelpText('after', EXAMPLES);
}

function testCommand(deps: ProductDeps): Command {
  const command = productCommand('test', deps).description('send a message through each channel');
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const settings = await loadAlertSettings(deps, command);
      const trials = await testChannels(settings);
      output.finish({ channels: trials }, () => printTrials(output, trials));
      return trials.every(({ ok }) => ok) ? EXIT_CODES.done : EXIT_CODES.usage;
    }),
  );
}

function printTrials(output: Output, trials: readonly ChannelTest[]): void {
  for (const { channel, problem } of trials) {
    if (problem === null)
      output.print(`${output.style.good('✓')} ${channel}: the message was taken.`);
    else output.print(`${output.style.bad('✗')} ${channel}: ${problem}`);
  }
}

/** A problem that is not over. */
interface OpenAlert {
  integration: string;
  subject: string;
  since: string;
  /** False if not all channels have sent it yet. */
  sent: boolean;
}

function checkCommand(deps: ProductDeps): Command {
  const command = productCommand('check', deps).description('check now and send what has changed');
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const settings = await loadAlertSettings(deps, command);
      const open = await checkNow(deps, settings);
      output.finish({ alerts: open }, () => printOpen(output, open, deps.clock.now()));
      return open.every(({ sent }) => sent) ? EXIT_CODES.done : EXIT_CODES.stopped;
    }),
  );
}

function checkNow(deps: ProductDeps, settings: Settings): Promise<OpenAlert[]> {
  return withProduct(deps, settings, async (application) => {
    const alerts = productAlerts(deps, application, settings);
    await alerts.tick();
    await alerts.close();
    const rows = await listAlerts(application.store.reader);
    return rows
      .filter(({ overAt }) => overAt === null)
      .map(({ integrationId: integration, subject, since, sentAt }) => {
        return { integration, subject, since: isoTime(since), sent: sentAt !== null };
      });
  });
}

function printOpen(output: Output, open: readonly OpenAlert[], now: number): void {
  if (open.length === 0) {
    output.print('There are no problems.');
    return;
  }
  output.table<OpenAlert>(
    [
      { header: 'Integration', value: ({ integration }) => integration },
      { header: 'What', value: ({ subject }) => subject },
      { header: 'Began', value: ({ since }) => formatAgo(since, now) },
      { header: 'Sent', value: ({ sent }) => (sent ? 'yes' : 'not yet') },
    ],
    open,
  );
}

/** The settings; throws a ConfigurationError if they name no recipients. */
async function loadAlertSettings(deps: ProductDeps, command: Command): Promise<Settings> {
  const { config } = readOptions(command, baseOptions);
  const settings = await loadProductSettings(deps, config);
  if (createChannels(settings.alerts).length > 0) return settings;
  throw new ConfigurationError(
    'The settings name no recipients of alerts: add alerts.email or alerts.webhook.',
    { code: 'alerts_unset' },
  );
}

/** The alerts of the product as the settings want them; the caller closes them. */
export function productAlerts(
  { clock, log }: Pick<ProductDeps, 'clock' | 'log'>,
  { store, integrations, takeLease, guard }: Application,
  { alerts: settings, server }: Settings,
): Alerts {
  return createAlerts({
    store,
    integrations,
    settings,
    clock,
    log,
    publicUrl: server.publicUrl,
    guard,
    takeLease,
  });
}
