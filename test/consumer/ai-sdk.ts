/** An application that uses the AI SDK, whose own declarations need the types of a browser and of JSON Schema. */
import * as troupe from 'troupe';
import * as driver from 'troupe/drivers/ai-sdk';

export const everything = { troupe, driver };
