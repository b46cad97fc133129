/** Generates addresses in real cities with fictional streets. */

import { z } from 'zod';
import { readDataFile } from './data-file.ts';
import { between, chance, type Draw, pick } from './random.ts';
import { createWeighted, type PickWeighted } from './weighted.ts';

export interface Address {
  street: string;
  city: string;
  /** The state's two-letter code, for example IL. */
  state: string;
  /** The ZIP code. The first three digits belong to the city. */
  postalCode: string;
}

/** A city with the first three digits of its ZIP codes. */
export interface City {
  name: string;
  state: string;
  zipPrefix: string;
}

/** The abbreviations of street types that people write on envelopes. Donors' addresses contain the long form. */
export const STREET_ABBREVIATIONS = new Map([
  ['Street', 'St'],
  ['Avenue', 'Ave'],
  ['Road', 'Rd'],
  ['Drive', 'Dr'],
  ['Lane', 'Ln'],
  ['Court', 'Ct'],
  ['Place', 'Pl'],
  ['Boulevard', 'Blvd'],
  ['Terrace', 'Ter'],
  ['Circle', 'Cir'],
  ['North', 'N'],
  ['South', 'S'],
  ['East', 'E'],
  ['West', 'W'],
  ['Apartment', 'Apt'],
]);

const TYPES = [
  'Street',
  'Street',
  'Avenue',
  'Avenue',
  'Road',
  'Drive',
  'Drive',
  'Lane',
  'Court',
  'Place',
  'Boulevard',
  'Terrace',
  'Circle',
];
const DIRECTIONS = ['North', 'South', 'East', 'West'];
const STREETS =
  `Acorn Alder Amberwood Appletree Arbor Ashgrove Aspen Autumn Banner Barley Bayberry Beacon Beech
   Birchwood Blackberry Bluebird Bramble Briar Bridge Brook Buckeye Butternut Canal Cardinal Catalpa
   Cedar Chapel Cherry Chestnut Church Clearwater Clover College Copper Cottonwood Creekside Crescent
   Cypress Dogwood Dover Eagle Elderberry Elm Evergreen Fairview Falcon Fern Field Forest Fountain
   Foxglove Garden Garrison Glen Granite Hawthorn Hazel Heather Heron Hickory Highland Hillcrest
   Holly Hollow Honeysuckle Horizon Iron Ivy Jasmine Juniper Lakeview Larch Laurel Lavender Liberty
   Lilac Linden Locust Magnolia Mallard Maple Marigold Market Meadow Mill Mulberry Oak Orchard Oriole
   Park Partridge Pebble Pheasant Pine Pioneer Poplar Prairie Primrose Prospect Quail Quarry Redwood
   Ridge River Rosewood Sage Sandstone School Shady Silver Spring Spruce Summit Sycamore Tamarack
   Thistle Timber Union Valley Vine Walnut Water Wheatfield Willow Winding Windmill Woodland`.split(
    /\s+/,
  );

const cityRow = z.object({
  city: z.string(),
  state: z.string().length(2),
  zip_prefix: z.string().length(3),
  residents_thousands: z.coerce.number(),
});

let cities: PickWeighted<City> | undefined;

/** Returns a function that picks cities in proportion to their size. The file is read when it is first used. */
export function readCities(): PickWeighted<City> {
  cities ??= createWeighted(
    readDataFile('cities.csv', cityRow).map((row) => ({
      entry: { name: row.city, state: row.state, zipPrefix: row.zip_prefix },
      weight: row.residents_thousands,
    })),
  );
  return cities;
}

/** Returns an address somewhere in the United States. */
export function drawAddress(draw: Draw, pickCity: PickWeighted<City>): Address {
  const city = pickCity(draw);
  return {
    street: drawStreet(draw),
    city: city.name,
    state: city.state,
    postalCode: `${city.zipPrefix}${between(draw, 10, 99)}`,
  };
}

function drawStreet(draw: Draw): string {
  const direction = chance(draw, 0.2) ? `${pick(draw, DIRECTIONS)} ` : '';
  const unit = chance(draw, 0.2) ? ` Apartment ${between(draw, 1, 40)}` : '';
  return `${between(draw, 1, 9899)} ${direction}${pick(draw, STREETS)} ${pick(draw, TYPES)}${unit}`;
}
