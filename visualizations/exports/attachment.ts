/** Made by `npm run visualize`. Paste it into Stately's editor. */
import { createMachine } from 'xstate';

export const machine = createMachine({
  "id": "attachment",
  "initial": "open",
  "on": {
    "xstate.done.actor.activation": {
      "guard": "hasChildren",
      "actions": "forgetChild"
    },
    "xstate.error.actor.activation": [
      {
        "guard": "hasChildren",
        "actions": "forgetChild"
      },
      {
        "actions": "ignoreLateChild"
      }
    ]
  },
  "states": {
    "open": {
      "tags": [
        "receiving",
        "delegating"
      ],
      "on": {
        "child.attached": {
          "guard": "canAttach",
          "actions": "countChild"
        },
        "delegation.closed": "cut",
        "leave.requested": "leaving",
        "fence.lost": {
          "target": "leaving",
          "actions": "noteFenced"
        }
      }
    },
    "cut": {
      "tags": "receiving",
      "on": {
        "leave.requested": "leaving",
        "fence.lost": {
          "target": "leaving",
          "actions": "noteFenced"
        }
      }
    },
    "leaving": {
      "tags": "ending",
      "entry": "stopChildren",
      "always": {
        "guard": "isEmpty",
        "target": "gone"
      },
      "on": {
        "release.expired": {
          "actions": "noteFailedStep"
        },
        "fence.lost": {
          "actions": "noteFenced"
        }
      }
    },
    "gone": {
      "type": "final"
    }
  }
});
