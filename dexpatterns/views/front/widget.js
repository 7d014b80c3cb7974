// Runs in a notebook: the model of the widget is the host.

export default {
  render({ model, el }) {
    const host = {
      get: (name) => model.get(name),
      set: (name, value) => {
        model.set(name, value);
        model.save_changes();
      },
      on: (name, call) => {
        model.on(`change:${name}`, call);
        return () => model.off(`change:${name}`, call);
      },
      send: (message) => model.send(message),
    };
    return mountStepper(el, host);
  },
};
