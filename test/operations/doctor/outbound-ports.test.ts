import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSample, renderChart } from '../../../scripts/check-chart/chart.ts';
import {
  networkPolicyValues,
  outboundPorts,
} from '../../../src/operations/doctor/outbound-ports.ts';
import { settingsSchema } from '../../../src/settings/settings-schema.ts';

const SETTINGS = {
  database: 'postgres://u:p@db.example.org/donor_sync',
  alerts: {
    email: { to: ['a@example.org'], from: 'b@example.org', smtp: 'smtp://mail.example.org' },
    webhook: { url: 'https://chat.example.org/x' },
  },
  integrations: [
    {
      id: 'one',
      partner: { baseUrl: 'https://service.example.org:8443/v1', apiKey: 'k' },
      crm: { kind: 'hubspot' },
    },
    {
      id: 'two',
      partner: { baseUrl: 'http://127.0.0.1:4100', apiKey: 'k' },
      crm: { kind: 'csv', path: 'a.csv' },
      alerts: { webhook: { url: 'https://chat.example.org:9443/y' } },
    },
  ],
};

it('are those of the service, the CRMs, the database, the mail server and the webhooks', () => {
  const settings = settingsSchema.parse(SETTINGS);
  expect(outboundPorts(settings, settings.integrations)).toEqual([
    { port: 443, for: ['CRMs', 'webhooks of alerts'] },
    { port: 587, for: ['the mail server'] },
    { port: 4100, for: ['the service'] },
    { port: 5432, for: ['the database'] },
    { port: 8443, for: ['the service'] },
    { port: 9443, for: ['webhooks of alerts'] },
  ]);
  const local = {
    ...settings,
    database: 'sqlite:x.db',
    alerts: { ...settings.alerts, email: null },
  };
  expect(outboundPorts(local, []).map(({ port }) => port)).toEqual([443]);
});

it('make values of the chart, whose policy opens these ports and DNS alone', () => {
  const settings = settingsSchema.parse(SETTINGS);
  const values = parse(networkPolicyValues(outboundPorts(settings, settings.integrations)));
  const { objects } = renderChart({ ...readSample('minimal-values.yaml'), ...values });
  const policy = JSON.stringify(objects.find(({ kind }) => kind === 'NetworkPolicy'));
  const ports = [...policy.matchAll(/"port":(\d+)/g)].map(([, port]) => Number(port));
  expect(ports).toEqual([53, 53, 443, 587, 4100, 5432, 8443, 9443]);
});
