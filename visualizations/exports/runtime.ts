/** Made by `npm run visualize`. Paste it into Stately's editor. */
import { createMachine } from 'xstate';

export const machine = createMachine({
  "id": "runtime",
  "initial": "open",
  "on": {
    "xstate.done.actor.activation": {
      "guard": "hasAgents",
      "actions": "forgetAgent"
    },
    "xstate.done.actor.attachment": {
      "guard": "hasAgents",
      "actions": "forgetAgent"
    },
    "xstate.error.actor.activation": [
      {
        "guard": "hasAgents",
        "actions": "forgetAgent"
      },
      {
        "actions": "ignoreLateAgent"
      }
    ],
    "xstate.error.actor.attachment": [
      {
        "guard": "hasAgents",
        "actions": "forgetAgent"
      },
      {
        "actions": "ignoreLateAgent"
      }
    ]
  },
  "states": {
    "open": {
      "tags": "admitting",
      "on": {
        "agent.opened": {
          "guard": "canOpen",
          "actions": "countAgent"
        },
        "close.requested": "draining"
      }
    },
    "draining": {
      "entry": "stopAgents",
      "always": {
        "guard": "isEmpty",
        "target": "closing"
      },
      "on": {
        "drain.expired": {
          "actions": "forgetRest"
        }
      }
    },
    "closing": {
      "entry": "closeResources",
      "on": {
        "resources.closed": "closed"
      }
    },
    "closed": {
      "type": "final"
    }
  }
});
